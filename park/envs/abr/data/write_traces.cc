#include "park/envs/abr/data/write_traces.h"

#include "park/command/numbers.h"
#include "park/command/output.h"
#include "park/core/json_writer.h"
#include "park/envs/abr/data/out_folder.h"
#include "park/envs/abr/data/trace_summary.h"

namespace park::abr::traces {
namespace {

using command::plural;

std::string nothing_left(const TraceSet& made) {
  std::string why = "no trace is left";
  for (const auto& one : made.left_out())
    why += "; " + plural(one.count, one.what) + ": " + one.why;
  return why;
}

}  // namespace

void WriteTraces::declare_out(command::Options& options) { declare_folder(out_, options); }

void WriteTraces::check(Violations& wrong) { check_folder(out_, wrong); }

void WriteTraces::make(command::ReadProgress&) {
  made_ = build();
  if (made_.traces().empty()) throw Error(Errc::bad_file, nothing_left(made_));
}

void WriteTraces::write() {
  try {
    write_traces(out_.path(), made_.traces(), provenance(), out_.overwrite());
  } catch (const Error& error) {
    throw command::Failure(error.what());  // not the fault of what was given
  }
}

void WriteTraces::write_json(JsonWriter& json) const {
  json.member("out", out_.path()).member("provenance", provenance());
  json.member("lines", made_.lines).key("left_out").begin_array();
  for (const auto& one : made_.left_out()) {
    json.begin_object(JsonWriter::Layout::line).member("what", one.what).member("why", one.why);
    json.member("count", one.count).member("first", one.first).end_object();
  }
  write_trace_summaries(json.end_array(), made_.traces());
}

std::string WriteTraces::text(std::size_t width) const {
  std::string text = "wrote " + out_.path() + '\n';
  for (const auto& one : made_.left_out())
    text += "left out: " + plural(one.count, one.what) + ": " + one.why + "; the first is " +
            one.first + '\n';
  return text + trace_summary_text(made_.traces(), width);
}

}  // namespace park::abr::traces
