// Recorded arrivals become a trace. A RowStream per input holds its next good row; broken rows are
// counted on the way. import_arrivals always takes the earliest row of all streams and writes it, so
// that memory is one line of each. The actions of `park data arrivals` call it.
#include "park/envs/dl_inference/arrivals/import_arrivals.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/envs/dl_inference/config.h"
#include "park/files/csv.h"
#include "park/files/lines.h"
#include "park/files/shown.h"

namespace park::dl_inference::arrivals {
namespace {

constexpr std::size_t kMostListed = 20;
constexpr double kMostTimeS = 1e12;
constexpr double kMicro = 1e6;

std::optional<int> digits(std::string_view text, int low, int high) {
  int v = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    v = 10 * v + (c - '0');
  }
  return v < low || v > high ? std::nullopt : std::optional(v);
}

/// Seconds since 1970 of "2023-11-16 18:15:46.6805900"; a fraction and +00:00 may be missing.
std::optional<double> time_of_date(std::string_view text) {
  if (text.ends_with("+00:00")) text.remove_suffix(6);
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || text[10] != ' ' || text[13] != ':' ||
      text[16] != ':')
    return {};
  const auto year = digits(text.substr(0, 4), 1970, 9999), month = digits(text.substr(5, 2), 1, 12);
  const auto day = digits(text.substr(8, 2), 1, 31), hour = digits(text.substr(11, 2), 0, 23);
  const auto minute = digits(text.substr(14, 2), 0, 59);
  const auto second = digits(text.substr(17, 2), 0, 59);
  if (!year || !month || !day || !hour || !minute || !second) return {};
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return {};
  double fraction = 0;
  if (text.size() > 19) {
    const auto read = files::number_in("0" + std::string(text.substr(19)), 0, 1);
    if (text[19] != '.' || !read) return {};
    fraction = *read;
  }
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  return 86400.0 * days + 3600.0 * *hour + 60.0 * *minute + *second + fraction;
}

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
      : form_(form), input_(input), report_(report), lines_(*input.source, input.name) {
    read_header();
    next();
  }

  struct Row {
    double time_s = 0;
    std::size_t app = 0;
  };
  /// The present row; none at the end.
  [[nodiscard]] const std::optional<Row>& row() const noexcept { return row_; }
  void next() {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.empty()) continue;
      ++report_.rows;
      Row row;
      const std::string wrong = read(line, row);
      if (wrong.empty()) {
        row_ = row;
        return;
      }
      ++report_.broken;
      if (report_.first_broken.size() < kMostListed)
        report_.first_broken.push_back(input_.name + ":" + std::to_string(lines_.number()) + ": " +
                                       wrong);
    }
    row_.reset();
    if (input_.source->cut_short())
      throw Error(Errc::bad_file,
                  input_.name + ": is cut short: a compressed file without its end");
  }

 private:
  [[nodiscard]] const char* time_name() const {
    return form_ == Form::azure ? "TIMESTAMP" : "Timestamp";
  }

  void read_header() {
    std::string_view line;
    if (!lines_.next(line)) throw Error(Errc::bad_file, input_.name + ": it is empty");
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    const std::string wrong = files::split_csv(line, fields_);
    const auto column = [&](std::string_view name) {
      const auto at = std::ranges::find(fields_, name);
      if (!wrong.empty() || at == fields_.end())
        throw Error(Errc::bad_file, input_.name + ":1: must name the column " + std::string(name));
      return static_cast<std::size_t>(at - fields_.begin());
    };
    time_ = column(time_name());
    model_ = form_ == Form::azure ? time_ : column("Model");
    columns_ = fields_.size();
  }

  /// What is wrong with a row, or "".
  std::string read(std::string_view line, Row& row) {
    if (std::string wrong = files::split_csv(line, fields_); !wrong.empty()) return wrong;
    if (fields_.size() != columns_)
      return "there are " + std::to_string(fields_.size()) + " fields, the first line names " +
             std::to_string(columns_);
    const std::string& text = fields_[time_];
    const auto time_s =
        form_ == Form::azure ? time_of_date(text) : files::number_in(text, 0, kMostTimeS);
    if (!time_s)
      return std::string(time_name()) + " = '" + files::shown(text) + "' must be " +
             (form_ == Form::azure ? "as 2023-11-16 18:15:46.6805900" : "a number from 0 to 1e12");
    if (*time_s < last_s_) return std::string(time_name()) + " goes back in time";
    AppNames names(report_.apps);
    const auto app = names.number(form_ == Form::azure ? input_.name : fields_[model_]);
    if (!app) return "is of a 65th application";
    row = {*time_s, *app};
    last_s_ = *time_s;
    return "";
  }

  Form form_;
  Input& input_;
  ImportReport& report_;
  files::LineReader lines_;
  std::vector<std::string> fields_;
  std::size_t time_ = 0, model_ = 0, columns_ = 0;
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
    if (!started_) start_s_ = row.time_s + options_.begin_s;
    started_ = true;
    if (row.time_s < start_s_ || row.time_s > start_s_ + options_.length_s) return;
    if (report_.arrivals == 0) first_s_ = row.time_s;
    report_.length_s = std::round((row.time_s - first_s_) * kMicro) / kMicro;
    append_(number_text(report_.length_s) + ',' + std::to_string(row.app) + '\n');
    ++report_.arrivals;
  }

 private:
  const ImportOptions& options_;
  ImportReport& report_;
  const std::function<void(std::string_view)>& append_;
  bool started_ = false;
  double start_s_ = 0, first_s_ = 0;
};

void refuse_broken(const ImportReport& report) {
  if (report.broken * 100 <= report.rows) return;
  std::string text = std::to_string(report.broken) + " of " + std::to_string(report.rows) +
                     " rows are broken; at most 1 % may be";
  for (const std::string& line : report.first_broken) text += '\n' + line;
  throw Error(Errc::bad_file, text);
}

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
  refuse_broken(report);
  if (report.length_s == 0)
    throw Error(Errc::bad_file, "no two arrivals at different times are left");
  return report;
}

}  // namespace park::dl_inference::arrivals
