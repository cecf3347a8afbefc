#include "park/envs/dl_cluster/dl2_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "park/files/lines.h"

namespace park::dl_cluster {
namespace {

/// Sizes and demands in DL2's settings. A GPU has four slots.
const std::vector<JobType>& models() {
  static const std::vector<JobType> all{{"resnet-50", {2, 4}, {2, 0}, 115, 0.3},
                                        {"vgg-16", {2, 4}, {2, 0}, 115, 0.96},
                                        {"resnext-110", {2, 4}, {2, 0}, 390, 0.05},
                                        {"inception-bn", {2, 4}, {2, 0}, 120, 0.54},
                                        {"seq2seq", {2, 4}, {2, 0}, 780, 0.95},
                                        {"cnn-text-classification", {2, 0}, {2, 0}, 193, 0.46},
                                        {"dssm", {2, 0}, {2, 0}, 349, 0.33},
                                        {"wlm", {2, 4}, {2, 0}, 165, 0.23}};
  return all;
}

/// Takes the parts of a Python tuple from the front of a line.
class TupleReader {
 public:
  explicit TupleReader(std::string_view line) : rest_(line) {}

  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] std::optional<std::string_view> word() {
    if (!take('\'')) return {};
    const std::size_t end = rest_.find('\'');
    if (end == std::string_view::npos) return {};
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }
  [[nodiscard]] std::optional<double> number(double low, double high) {
    skip_blanks();
    double v = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), v);
    if (error != std::errc{} || !(v >= low && v <= high)) return {};
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return v;
  }
  struct List {
    double sum = 0;
    std::size_t count = 0;
  };
  [[nodiscard]] std::optional<List> list() {
    List all;
    if (!take('[')) return {};
    if (take(']')) return all;
    do {
      const auto one = number(0, kMostSamplesPerS);
      if (!one) return {};
      all.sum += *one;
      ++all.count;
    } while (take(','));
    if (!take(']')) return {};
    return all;
  }
  bool ended() {
    skip_blanks();
    return rest_.empty();
  }

 private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }
  std::string_view rest_;
};

struct Dl2Record {
  std::string_view model;
  SpeedPoint point;
  std::size_t speeds = 0;
};

std::optional<Dl2Record> read_record(std::string_view line) {
  TupleReader in(line);
  if (!in.take('(')) return {};
  const auto model = in.word();
  if (!model || !in.take(',') || !in.word() || !in.take(',')) return {};
  if (!in.number(0, 1e9) || !in.take(',')) return {};
  const auto servers = in.number(1, kMostTasks);
  if (!servers || !in.take(',')) return {};
  const auto workers = in.number(1, kMostTasks);
  if (!workers || !in.take(',')) return {};
  const auto speeds = in.list();
  if (!speeds || !in.take(',') || !in.list() || !in.take(',') || !in.list()) return {};
  if (!in.take(')') || !in.ended()) return {};
  return Dl2Record{*model, {*servers, *workers, speeds->sum}, speeds->count};
}

bool is_whole(double v) { return v == static_cast<double>(static_cast<long>(v)); }

void add_record(SpeedTableBuilder& to, const Dl2Record& r, std::size_t line) {
  if (std::ranges::find(models(), r.model, &JobType::name) == models().end())
    return to.wrong(line, "'" + std::string(r.model.substr(0, 64)) +
                              "' is none of the models whose sizes are known");
  if (!is_whole(r.point.servers) || !is_whole(r.point.workers))
    return to.wrong(line, "servers and workers must be whole numbers");
  if (r.point.workers != static_cast<double>(r.speeds))
    return to.wrong(line, "there must be one speed for each of the workers");
  if (!(r.point.samples_per_s <= kMostSamplesPerS))
    return to.wrong(line, "the sum of the speeds must not exceed 1e9");
  to.add_point(r.model, r.point, line);
}

}  // namespace

SpeedTable parse_dl2(std::string_view text, const std::string& name) {
  SpeedTableBuilder builder(name);
  for (const JobType& model : models()) builder.add_type(model, 1);
  for (std::size_t line = 1; !text.empty() && !builder.given_up(); ++line) {
    const std::string_view one = files::take_line(text);
    if (one.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (const auto record = read_record(one))
      add_record(builder, *record, line);
    else
      builder.wrong(line,
                    "must be ('model', 'mode', batch, servers, workers, [speed of each worker], "
                    "[CPU of servers], [CPU of workers]), with numbers of at least 0");
  }
  return std::move(builder).build();
}

}  // namespace park::dl_cluster
