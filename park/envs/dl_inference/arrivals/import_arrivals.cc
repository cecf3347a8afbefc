// Recorded arrivals become a trace. A RowStream per input holds its next good row; broken rows are
// counted on the way. import_arrivals always takes the earliest row of all streams and writes it, so
// that memory is one line of each. The actions of `park data arrivals` call it.
#include "park/envs/dl_inference/arrivals/import_arrivals.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/envs/dl_inference/config.h"
#include "park/files/lines.h"
#include "park/files/recorded_csv.h"
#include "park/files/shown.h"

namespace park::dl_inference::arrivals {
namespace {

constexpr double kMostTimeS = 1e12;

/// The applications by their names, in the order of appearance.
class AppNames {
 public:
  explicit AppNames(std::vector<std::string>& names) : names_(names) {}
  /// None beyond the most that an environment has.
  std::optional<std::size_t> number(const std::string& name) {
    const auto at = std::ranges::find(names_, name);
    if (at != names_.end()) return static_cast<std::size_t>(at - names_.begin());
    if (names_.size() == static_cast<std::size_t>(kMaxApps)) return {};
    names_.push_back(name);
    return names_.size() - 1;
  }

 private:
  std::vector<std::string>& names_;
};

/// The good rows of one input, one after the other.
class RowStream {
 public:
  RowStream(Form form, Input& input, ImportReport& report)
      : form_(form), report_(report), rows_(input, report) {
    time_ = rows_.column(time_name());
    model_ = form_ == Form::azure ? time_ : rows_.column("Model");
    next();
  }

  struct Row {
    double time_s = 0;
    std::size_t app = 0;
  };
  /// The present row; none at the end.
  [[nodiscard]] const std::optional<Row>& row() const noexcept { return row_; }
  void next() {
    row_.reset();
    while (!row_ && rows_.next()) {
      Row row;
      if (const std::string wrong = read(row); wrong.empty())
        row_ = row;
      else
        rows_.add_broken(wrong);
    }
  }

 private:
  [[nodiscard]] const char* time_name() const {
    return form_ == Form::azure ? "TIMESTAMP" : "Timestamp";
  }

  /// What is wrong with a row, or "".
  std::string read(Row& row) {
    const std::string& text = rows_[time_];
    const auto time_s =
        form_ == Form::azure ? files::time_of_date(text) : files::number_in(text, 0, kMostTimeS);
    if (!time_s)
      return std::string(time_name()) + " = '" + files::shown(text) + "' must be " +
             (form_ == Form::azure ? "as 2023-11-16 18:15:46.6805900" : "a number from 0 to 1e12");
    if (*time_s < last_s_) return std::string(time_name()) + " goes back in time";
    AppNames names(report_.apps);
    const auto app = names.number(form_ == Form::azure ? rows_.name() : rows_[model_]);
    if (!app) return "is of a 65th application";
    row = {*time_s, *app};
    last_s_ = *time_s;
    return "";
  }

  Form form_;
  ImportReport& report_;
  files::RecordedCsv rows_;
  std::size_t time_ = 0, model_ = 0;
  double last_s_ = -kInf;
  std::optional<Row> row_;
};

/// Writes the rows that lie in the part of the time that is asked for.
class TraceWriter {
 public:
  TraceWriter(const ImportOptions& options, ImportReport& report,
              const std::function<void(std::string_view)>& append)
      : options_(options), report_(report), append_(append) {
    append_("time_s,app\n");
  }
  void take(const RowStream::Row& row) {
    recorded_s_ = std::min(recorded_s_, row.time_s);
    if (!options_.has(row.time_s, recorded_s_)) return;
    if (report_.arrivals == 0) first_s_ = row.time_s;
    report_.length_s = files::in_microseconds(row.time_s - first_s_);
    append_(number_text(report_.length_s) + ',' + std::to_string(row.app) + '\n');
    ++report_.arrivals;
  }

 private:
  const ImportOptions& options_;
  ImportReport& report_;
  const std::function<void(std::string_view)>& append_;
  double recorded_s_ = kInf;  // of the first row
  double first_s_ = 0;        // of the first that was taken
};

}  // namespace

ImportReport import_arrivals(Form form, std::vector<Input> inputs, const ImportOptions& options,
                             const std::function<void(std::string_view)>& append) {
  ImportReport report;
  std::vector<std::unique_ptr<RowStream>> streams;
  for (Input& input : inputs) streams.push_back(std::make_unique<RowStream>(form, input, report));
  TraceWriter writer(options, report, append);
  for (;;) {
    RowStream* first = nullptr;
    for (const auto& stream : streams)
      if (stream->row() && (!first || stream->row()->time_s < first->row()->time_s))
        first = stream.get();
    if (!first) break;
    writer.take(*first->row());
    first->next();
  }
  report.refuse_broken();
  if (report.length_s == 0)
    throw Error(Errc::bad_file, "no two arrivals at different times are left");
  return report;
}

}  // namespace park::dl_inference::arrivals
