// Applications of a configuration: analytic ones, and those of a table of measured latencies.
// TableReader goes over the lines of a table; a finished application is interpolated to one latency
// per batch size. DlInference::spec and its constructor call applications().
#include "park/envs/dl_inference/application.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "park/core/error.h"
#include "park/files/csv.h"
#include "park/files/lines.h"
#include "park/files/read.h"
#include "park/files/stamp_cache.h"

namespace park::dl_inference {
namespace {

constexpr std::string_view kTableHeader = "app,batch,latency_s";
constexpr std::uint64_t kMostTableBytes = std::uint64_t{1} << 24;

/// Reads the lines of a table after the header.
class TableReader {
 public:
  /// Returns what is wrong with the line, or "".
  std::string take(std::string_view line) {
    if (std::string wrong = files::split_csv(line, fields_); !wrong.empty()) return wrong;
    if (fields_.size() != 3) return "must have 3 fields: app,batch,latency_s";
    const auto batch = files::number_in(fields_[1], 1, kMaxBatch);
    if (fields_[0].empty()) return "app must not be empty";
    if (!batch || *batch != static_cast<double>(static_cast<std::size_t>(*batch)))
      return "batch must be a whole number from 1 to 256";
    const auto latency_s = files::number_in(fields_[2], kMinLatencyS, kMaxLatencyS);
    if (!latency_s) return "latency_s must be a number from 1e-6 to 1e6";
    return add(static_cast<std::size_t>(*batch), *latency_s);
  }
  [[nodiscard]] std::vector<Application> finish() { return std::move(apps_); }

 private:
  std::string add(std::size_t batch, double latency_s) {
    if (apps_.empty() || apps_.back().name != fields_[0]) {
      if (std::ranges::find(apps_, fields_[0], &Application::name) != apps_.end())
        return "app comes a second time; the lines of an app follow each other";
      if (apps_.size() == static_cast<std::size_t>(kMaxApps)) return "there are more than 64 apps";
      if (batch != 1) return "the first batch of an app must be 1";
      apps_.emplace_back().name = fields_[0];
      apps_.back().latency_s = {0, latency_s};
      return "";
    }
    IdVector<double>& all = apps_.back().latency_s;
    if (batch < all.size()) return "batch must be larger than in the line before";
    const double from_s = all.back();
    if (latency_s < from_s) return "latency_s must not be smaller than in the line before";
    const auto last = static_cast<double>(all.size() - 1);
    const double slope = (latency_s - from_s) / (static_cast<double>(batch) - last);
    for (std::size_t k = all.size(); k < batch; ++k)
      all.push_back(from_s + slope * (static_cast<double>(k) - last));
    all.push_back(latency_s);
    return "";
  }

  std::vector<std::string> fields_;
  std::vector<Application> apps_;
};

std::vector<Application> of_table(const DlInferenceConfig& c) {
  const auto table = LatencyTable::open(c.table);
  Violations bad;
  const std::array<std::pair<const char*, std::size_t>, 2> lists{
      {{"weights", c.weights.size()}, {"shares", c.shares.size()}}};
  for (const auto& [field, values] : lists)
    if (values > 0 && values != table->apps().size())
      bad.add(std::string(field) + " has " + std::to_string(values) +
              " values; allowed are none or one for each of the " +
              std::to_string(table->apps().size()) + " apps of the table");
  bad.throw_if_any(Errc::invalid_config);
  return table->apps();
}

std::vector<Application> analytic(const DlInferenceConfig& c) {
  std::vector<Application> all;
  for (const AppConfig& app : c.analytic_apps()) {
    Application& made = all.emplace_back();
    made.name = "app " + std::to_string(all.size() - 1);
    made.latency_s.push_back(0);
    for (std::int32_t k = 1; k <= app.max_batch; ++k)
      made.latency_s.push_back(app.a_s + app.b_s * k);
  }
  return all;
}

}  // namespace

LatencyTable LatencyTable::parse(const std::string& text, const std::string& name) {
  std::string_view rest = text;
  if (files::take_line(rest) != kTableHeader)
    throw Error(Errc::bad_file,
                name + ":1: the header must be '" + std::string(kTableHeader) + "'");
  TableReader reader;
  Violations bad;
  for (std::size_t n = 2; !rest.empty() && bad.size() < files::kMostViolations; ++n)
    if (const std::string wrong = reader.take(files::take_line(rest)); !wrong.empty())
      files::add_at(bad, name, n, wrong);
  LatencyTable table;
  table.apps_ = reader.finish();
  if (bad.empty() && table.apps_.empty()) bad.add(name + ": has no apps");
  bad.throw_if_any(Errc::bad_file);
  return table;
}

std::shared_ptr<const LatencyTable> LatencyTable::open(const std::string& path) {
  static files::StampCache<std::string, LatencyTable> cache;
  std::error_code error;
  const files::FileStamp stamp = files::stamp_of(path, error);
  if (error) throw Error(Errc::io, "table: cannot read '" + path + "': " + error.message());
  return cache.get(path, {stamp}, [&] {
    return std::make_shared<const LatencyTable>(
        parse(files::read_whole(path, kMostTableBytes), path));
  });
}

std::vector<Application> applications(const DlInferenceConfig& c) {
  std::vector<Application> all = c.apps == "table" ? of_table(c) : analytic(c);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!c.weights.empty()) all[i].weight = c.weights[i];
    all[i].deadline_s = c.deadline * all[i].single_s();
  }
  return all;
}

}  // namespace park::dl_inference
