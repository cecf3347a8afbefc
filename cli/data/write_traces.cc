#include "cli/data/write_traces.h"

#include "cli/data/trace_summary.h"
#include "cli/frame/files.h"
#include "cli/frame/numbers.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

std::string nothing_left(const abr::traces::TraceSet& made) {
  std::string why = "no trace is left";
  for (const auto& one : made.left_out())
    why += "; " + plural(one.count, one.what) + ": " + one.why;
  return why;
}

}  // namespace

void WriteTraces::declare_out(Options& options) {
  options.text("--out", "FOLDER", out_, "the folder to write; exactly this path",
               Options::Need::required);
  options.flag("--overwrite", overwrite_, "replace a folder of traces that park wrote");
}

void WriteTraces::prepare(Session&, Violations& wrong) {
  if (out_.empty()) return;
  try {
    abr::traces::check_folder(out_, overwrite_);
  } catch (const Error& error) {
    wrong.add(std::string("--out: ") + error.what());
  }
}

int WriteTraces::run(Session& session) {
  const abr::traces::TraceSet made = make();
  if (made.traces().empty()) throw Error(Errc::bad_file, nothing_left(made));
  try {
    abr::traces::write_traces(out_, made.traces(), provenance(), overwrite_);
  } catch (const Error& error) {
    throw Failure(error.what());  // not the fault of what was given
  }
  session.json() ? print_json(made, session) : print_text(made, session);
  return kDone;
}

void WriteTraces::print_json(const abr::traces::TraceSet& made, Session& session) const {
  JsonWriter json;
  json.begin_object().member("out", out_).member("provenance", provenance());
  json.member("lines", made.lines).key("left_out").begin_array();
  for (const auto& one : made.left_out()) {
    json.begin_object(JsonWriter::Layout::line).member("what", one.what).member("why", one.why);
    json.member("count", one.count).member("first", one.first).end_object();
  }
  write_trace_summaries(json.end_array(), made.traces());
  session.print(json.end_object().take());
}

void WriteTraces::print_text(const abr::traces::TraceSet& made, Session& session) const {
  std::string text = "wrote " + out_ + '\n';
  for (const auto& one : made.left_out())
    text += "left out: " + plural(one.count, one.what) + ": " + one.why + "; the first is " +
            one.first + '\n';
  session.print(text + trace_summary_text(made.traces(), session.width()));
}

}  // namespace park::cli
