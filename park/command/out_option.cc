#include "park/command/out_option.h"

#include "park/command/output.h"

namespace park::command {

void OutOption::declare(Options& options, const OutWords& words) {
  options.text("--out", words.placeholder, path_, words.doc, Options::Need::required);
  options.flag("--overwrite", overwrite_, words.overwrite_doc);
}

void OutOption::check_file(Violations& wrong) const {
  check_output("--out", path_, overwrite_, wrong);
}

}  // namespace park::command
