// Tables of speeds. parse cuts a text into lines and fields and hands them to SpeedTableBuilder,
// which the reader of DL2's format uses too. build checks each type and makes the interpolation.
// open finds out what a text names: a bundled table, a file of ours, or DL2's. The model with
// parameter servers opens one; `park data speeds` reads and writes them.
#include "park/envs/dl_cluster/speed_table.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "park/core/data_path.h"
#include "park/core/error.h"
#include "park/core/text.h"
#include "park/envs/dl_cluster/dl2_table.h"
#include "park/files/csv.h"
#include "park/files/lines.h"
#include "park/files/read.h"
#include "park/files/stamp_cache.h"

namespace park::dl_cluster {
namespace {

constexpr std::size_t kMostNameBytes = 64;

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMostNameBytes &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127 && c != ','; });
}

/// Reads the numbers of a line's fields, each within its limits.
class FieldNumbers {
 public:
  FieldNumbers(SpeedTableBuilder& to, const std::vector<std::string>& fields, std::size_t line)
      : to_(to), fields_(fields), line_(line) {}

  double next(const char* name, double low, double high) {
    const auto number = files::number_in(fields_[at_++], low, high);
    if (number) return *number;
    good_ = false;
    to_.wrong(line_, std::string(name) + " must be a number from " + number_text(low) + " to " +
                         number_text(high));
    return low;
  }
  double next_whole(const char* name, double high) {
    const double number = next(name, 1, high);
    if (number == static_cast<double>(static_cast<long>(number))) return number;
    good_ = false;
    to_.wrong(line_, std::string(name) + " must be a whole number");
    return 1;
  }
  [[nodiscard]] bool good() const noexcept { return good_; }

 private:
  SpeedTableBuilder& to_;
  const std::vector<std::string>& fields_;
  std::size_t line_, at_ = 2;
  bool good_ = true;
};

void read_type(SpeedTableBuilder& to, const std::vector<std::string>& fields, std::size_t line) {
  FieldNumbers number(to, fields, line);
  JobType type{.name = fields[1]};
  type.worker[0] = number.next("worker_cpu", 1, kMostSlots);
  type.worker[1] = number.next("worker_gpu", 0, kMostSlots);
  type.server[0] = number.next("server_cpu", 1, kMostSlots);
  type.server[1] = number.next("server_gpu", 0, kMostSlots);
  type.epoch_samples = number.next("epoch_samples", 1e-6, kMostEpochSize);
  type.epochs = number.next("epochs", 1e-6, 1e6);
  if (number.good()) to.add_type(std::move(type), line);
}

void read_speed(SpeedTableBuilder& to, const std::vector<std::string>& fields, std::size_t line) {
  FieldNumbers number(to, fields, line);
  SpeedPoint point;
  point.servers = number.next_whole("servers", kMostTasks);
  point.workers = number.next_whole("workers", kMostTasks);
  point.samples_per_s = number.next("samples_per_s", 0, kMostSamplesPerS);
  if (number.good()) to.add_point(fields[1], point, line);
}

void read_line(SpeedTableBuilder& to, std::string_view text, std::size_t line,
               std::vector<std::string>& fields) {
  if (const std::string wrong = files::split_csv(text, fields); !wrong.empty())
    return to.wrong(line, wrong);
  const bool type = fields[0] == "type", speed = fields[0] == "speed";
  if (!type && !speed) return to.wrong(line, "a line must begin with 'type,', 'speed,' or '#'");
  if (fields.size() != (type ? 8U : 5U))
    return to.wrong(line, type ? "a type must have 8 fields: type, name, worker_cpu, worker_gpu, "
                                 "server_cpu, server_gpu, epoch_samples, epochs"
                               : "a speed must have 5 fields: speed, name, servers, workers, "
                                 "samples_per_s");
  if (!is_name(fields[1]))
    return to.wrong(line, "a name must be 1 to 64 visible characters without comma");
  type ? read_type(to, fields, line) : read_speed(to, fields, line);
}

[[noreturn]] void fail_to_read(const std::string& path, const std::string& why) {
  throw Error(Errc::io, "table: cannot read '" + path + "': " + why);
}

SpeedTable read_table(const std::string& path) {
  std::error_code error;
  const std::string text = files::read_file(path, error, kMostTableBytes);
  if (error) fail_to_read(path, error.message());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '(') return parse_dl2(text, path);
  return SpeedTable::parse(text, path);
}

}  // namespace

SpeedTable::SpeedTable(std::vector<Type> types) : types_(std::move(types)) {
  for (Type& type : types_)
    if (!type.formula) type.surface = RadialBasis(type.points);
}

double SpeedTable::speed(std::size_t type, double servers, double workers) const noexcept {
  const Type& t = types_[type];
  return t.formula ? t.formula->samples_per_s(servers, workers) : t.surface.at(servers, workers);
}

std::vector<std::string> SpeedTable::standing_still(int servers, int workers) const {
  std::vector<std::string> names;
  for (std::size_t t = 0; t < types_.size(); ++t) {
    bool stands = false;
    for (int s = 1; s <= servers && !stands; ++s)
      for (int w = 1; w <= workers && !stands; ++w) stands = !(speed(t, s, w) > 0);
    if (stands) names.push_back(types_[t].about.name);
  }
  return names;
}

SpeedTable SpeedTable::parse(std::string_view text, const std::string& name) {
  SpeedTableBuilder builder(name);
  std::vector<std::string> fields;
  for (std::size_t line = 1; !text.empty() && !builder.given_up(); ++line) {
    const std::string_view one = files::take_line(text);
    if (one.empty() || one.front() == '#') continue;
    read_line(builder, one, line, fields);
  }
  return std::move(builder).build();
}

std::shared_ptr<const SpeedTable> SpeedTable::open(const std::string& table) {
  static const auto bundled = std::make_shared<const SpeedTable>(psworker());
  static files::StampCache<std::string, SpeedTable> cache;
  if (table == "psworker") return bundled;
  const std::string path = table == "cpu" ? (data_dir() / "speeds" / "cpu.csv").string() : table;
  std::error_code error;
  const files::FileStamp stamp = files::stamp_of(path, error);
  if (error) fail_to_read(path, error.message());
  return cache.get(path, {stamp},
                   [&] { return std::make_shared<const SpeedTable>(read_table(path)); });
}

std::string SpeedTable::text() const {
  std::string all =
      "# type,name,worker_cpu,worker_gpu,server_cpu,server_gpu,epoch_samples,epochs\n"
      "# speed,name,servers,workers,samples_per_s\n";
  const auto line = [&all](std::string_view kind, const std::string& name,
                           std::initializer_list<double> numbers) {
    all.append(kind).append(",").append(name);
    for (const double n : numbers) all.append(",").append(number_text(n));
    all += '\n';
  };
  for (const Type& t : types_) {
    const JobType& a = t.about;
    line("type", a.name,
         {a.worker[0], a.worker[1], a.server[0], a.server[1], a.epoch_samples, a.epochs});
    for (const SpeedPoint& p : measured_points(t))
      line("speed", a.name, {p.servers, p.workers, p.samples_per_s});
  }
  return all;
}

std::vector<SpeedPoint> measured_points(const SpeedTable::Type& type) {
  if (!type.formula) return type.points;
  std::vector<SpeedPoint> points;
  for (int s = 1; s <= 16; s *= 2)
    for (int w = 1; w <= 16; w *= 2)
      points.push_back(
          {static_cast<double>(s), static_cast<double>(w), type.formula->samples_per_s(s, w)});
  return points;
}

SpeedTableBuilder::Entry& SpeedTableBuilder::entry(std::string_view type, std::size_t line) {
  const auto at =
      std::ranges::find_if(entries_, [&](const Entry& e) { return e.type.about.name == type; });
  if (at != entries_.end()) return *at;
  Entry fresh;
  fresh.type.about.name = type;
  fresh.first_line = line;
  return entries_.emplace_back(std::move(fresh));
}

void SpeedTableBuilder::add_type(JobType type, std::size_t line) {
  Entry& e = entry(type.name, line);
  if (e.described) return wrong(line, "type '" + type.name + "' is there twice");
  e.type.about = std::move(type);
  e.described = true;
}

void SpeedTableBuilder::add_point(std::string_view type, const SpeedPoint& point,
                                  std::size_t line) {
  Entry& e = entry(type, line);
  const bool there = std::ranges::any_of(e.type.points, [&](const SpeedPoint& p) {
    return p.servers == point.servers && p.workers == point.workers;
  });
  if (there)
    wrong(line, "type '" + e.type.about.name + "' has two speeds with " +
                    number_text(point.servers) + " servers and " + number_text(point.workers) +
                    " workers");
  else
    e.type.points.push_back(point);
}

void SpeedTableBuilder::wrong(std::size_t line, const std::string& what) {
  wrong_.push_back(name_ + ":" + std::to_string(line) + ": " + what);
}

bool SpeedTableBuilder::given_up() const noexcept {
  return wrong_.size() >= files::kMostViolations || entries_.size() > kMostTypes;
}

SpeedTable SpeedTableBuilder::build() && {
  if (wrong_.empty() && entries_.empty()) wrong_.push_back(name_ + ": has no types");
  if (entries_.size() > kMostTypes) wrong_.push_back(name_ + ": has more than 64 types");
  for (const Entry& e : entries_) {
    if (!wrong_.empty() && given_up()) break;
    const std::string type = "type '" + e.type.about.name + "' ";
    const std::size_t points = e.type.points.size();
    if (!e.described) wrong(e.first_line, type + "has no sizes: a line 'type,...' is missing");
    if (points < 4)
      wrong(e.first_line, type + "has " + std::to_string(points) + " speeds and needs 4 or more");
    if (points > kMostPoints) wrong(e.first_line, type + "has more than 1024 speeds");
  }
  Violations bad;
  for (std::string& line : wrong_) bad.add(std::move(line));
  bad.throw_if_any(Errc::bad_file);
  std::vector<SpeedTable::Type> types;
  for (Entry& e : entries_) types.push_back(std::move(e.type));
  return SpeedTable(std::move(types));
}

}  // namespace park::dl_cluster
