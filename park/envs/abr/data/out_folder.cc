#include "park/envs/abr/data/out_folder.h"

#include <string>

#include "park/envs/abr/traces/trace_set.h"

namespace park::abr::traces {

void declare_folder(command::OutOption& out, command::Options& options) {
  out.declare(options, {.placeholder = "FOLDER",
                        .doc = "the folder to write; exactly this path",
                        .overwrite_doc = "replace a folder of traces that park wrote"});
}

void check_folder(const command::OutOption& out, Violations& wrong) {
  if (out.path().empty()) return;
  try {
    check_folder(out.path(), out.overwrite());
  } catch (const Error& error) {
    wrong.add(std::string("--out: ") + error.what());
  }
}

}  // namespace park::abr::traces
