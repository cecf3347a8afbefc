#include "park/files/recording.h"

#include <chrono>
#include <cmath>

#include "park/core/error.h"
#include "park/files/lines.h"

namespace park::files {
namespace {

constexpr double kMicro = 1e6;

std::optional<int> digits(std::string_view text, int low, int high) {
  int v = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    v = 10 * v + (c - '0');
  }
  return v < low || v > high ? std::nullopt : std::optional(v);
}

}  // namespace

void RowCount::add_broken(const std::string& name, std::uint64_t line, const std::string& wrong) {
  ++broken;
  if (first_broken.size() < kMostListed)
    first_broken.push_back(name + ":" + std::to_string(line) + ": " + wrong);
}

void RowCount::refuse_broken() const {
  if (broken * 100 <= rows) return;
  std::string text = std::to_string(broken) + " of " + std::to_string(rows) +
                     " rows are broken; at most 1 % may be";
  for (const std::string& line : first_broken) text += '\n' + line;
  throw Error(Errc::bad_file, text);
}

void refuse_cut_short(const RecordedFile& file) {
  if (file.source->cut_short())
    throw Error(Errc::bad_file, file.name + ": is cut short: a compressed file without its end");
}

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
    const auto read = number_in("0" + std::string(text.substr(19)), 0, 1);
    if (text[19] != '.' || !read) return {};
    fraction = *read;
  }
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  return 86400.0 * days + 3600.0 * *hour + 60.0 * *minute + *second + fraction;
}

double in_microseconds(double seconds) noexcept { return std::round(seconds * kMicro) / kMicro; }

}  // namespace park::files
