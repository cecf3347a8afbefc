// Which traces are cut from one recording. `recordings` joins traces (Sets) whose names tell the same one, and
// traces that have a run of bandwidths in common (SharedRuns). The actions `split` and `compare` call it.
#include "park/envs/abr/traces/recordings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <unordered_map>

namespace park::abr::traces {
namespace {

constexpr double kRateStep = 1e-6;  // of a bandwidth, as files of traces have it

using Rates = std::vector<std::int64_t>;

/// The bandwidths of the intervals, each but the first another than the one before: traces of one
/// recording may be sampled at other times.
Rates changes(const NetworkTrace& trace) {
  Rates rates;
  for (std::size_t i = 1; i < trace.mbps.size(); ++i) {
    const auto rate = static_cast<std::int64_t>(std::llround(trace.mbps[i] / kRateStep));
    if (rates.empty() || rates.back() != rate) rates.push_back(rate);
  }
  return rates;
}

/// Traces in sets that grow together.
class Sets {
 public:
  explicit Sets(std::size_t count) : above_(count) { std::iota(above_.begin(), above_.end(), 0); }

  /// The first trace of the set.
  std::size_t first(std::size_t i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = first(a), b = first(b);
    above_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> above_;
};

bool unlike_enough(Rates::const_iterator begin) {
  std::array<std::int64_t, kSharedRates> some{};
  std::copy_n(begin, kSharedRates, some.begin());
  std::ranges::sort(some);
  return std::ranges::unique(some).begin() - some.begin() >=
         static_cast<std::ptrdiff_t>(kUnlikeRates);
}

std::uint64_t hash_of(Rates::const_iterator begin, std::size_t count) {
  std::uint64_t h = 0xcbf29ce484222325ull;
  for (std::size_t i = 0; i < count; ++i) {
    h = (h ^ static_cast<std::uint64_t>(begin[static_cast<std::ptrdiff_t>(i)])) *
        0x9e3779b97f4a7c15ull;
    h ^= h >> 32;
  }
  return h;
}

/// Joins traces that have a run of bandwidths in common. Runs are compared by their hashes.
class SharedRuns {
 public:
  explicit SharedRuns(Sets& sets) : sets_(sets) {}

  void add(std::size_t trace, const Rates& rates) {
    join(trace, hash_of(rates.begin(), rates.size()));  // the same bandwidths, few as they may be
    for (std::size_t i = 0; i + kSharedRates <= rates.size(); ++i) {
      const auto begin = rates.begin() + static_cast<std::ptrdiff_t>(i);
      if (unlike_enough(begin)) join(trace, hash_of(begin, kSharedRates));
    }
  }

 private:
  void join(std::size_t trace, std::uint64_t hash) {
    const auto [at, fresh] = owners_.try_emplace(hash, trace);
    if (!fresh) sets_.join(at->second, trace);
  }

  Sets& sets_;
  std::unordered_map<std::uint64_t, std::size_t> owners_;
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view leading_digits(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// NUMBER of "trace_NUMBER_...", perhaps behind "test_fcc_"; else nothing.
std::string_view measuring_unit(std::string_view name) {
  constexpr std::string_view kTest = "test_fcc_", kFront = "trace_";
  if (name.starts_with(kTest)) name.remove_prefix(kTest.size());
  if (!name.starts_with(kFront)) return {};
  name.remove_prefix(kFront.size());
  const std::string_view number = leading_digits(name);
  return name.substr(number.size()).starts_with('_') ? number : std::string_view{};
}

/// "...report.2010-09-13_1003CEST" in front of ".log"; else nothing.
std::string_view trip_of(std::string_view name) {
  constexpr std::string_view kReport = "report.", kTimeForm = "0000-00-00_0000";
  const std::size_t front = name.rfind(kReport);
  if (front == std::string_view::npos) return {};
  const std::string_view rest = name.substr(front + kReport.size());
  const auto as_time = [](char form, char c) { return form == '0' ? is_digit(c) : form == c; };
  if (rest.size() < kTimeForm.size() ||
      !std::ranges::equal(kTimeForm, rest.substr(0, kTimeForm.size()), as_time))
    return {};
  for (const std::string_view zone : {"CET", "CEST"})
    if (rest.substr(kTimeForm.size()).starts_with(std::string(zone) + ".log"))
      return name.substr(0, front + kReport.size() + kTimeForm.size() + zone.size());
  return {};
}

}  // namespace

std::optional<std::string> recording_name(std::string_view file) {
  const std::string_view number = leading_digits(file);
  if (!number.empty() && file.substr(number.size()).starts_with('_'))
    file.remove_prefix(number.size() + 1);
  if (const std::string_view unit = measuring_unit(file); !unit.empty())
    return "fcc unit " + std::string(unit);
  if (const std::string_view trip = trip_of(file); !trip.empty()) return std::string(trip);
  return std::nullopt;
}

std::vector<Recording> recordings(const std::vector<NetworkTrace>& traces) {
  Sets sets(traces.size());
  SharedRuns runs(sets);
  std::map<std::string, std::size_t> named;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    runs.add(i, changes(traces[i]));
    if (const auto name = recording_name(traces[i].name))
      sets.join(named.try_emplace(*name, i).first->second, i);
  }
  std::vector<Recording> all;
  std::map<std::size_t, std::size_t> number;  // of the recording, by its first trace
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto [at, fresh] = number.try_emplace(sets.first(i), all.size());
    const std::string& file = traces[i].name;
    if (fresh) all.push_back({.name = recording_name(file).value_or(file), .traces = {}});
    all[at->second].traces.push_back(i);
  }
  return all;
}

bool is_part(const NetworkTrace& trace, const NetworkTrace& whole) {
  if (trace.time_s == whole.time_s && trace.mbps == whole.mbps) return true;
  const Rates part = changes(trace), all = changes(whole);
  return part.size() >= kSharedRates && !std::ranges::search(all, part).empty();
}

Overlap overlap(const std::vector<NetworkTrace>& traces, const std::vector<NetworkTrace>& others) {
  std::vector<NetworkTrace> both = others;
  both.insert(both.end(), traces.begin(), traces.end());
  Overlap found;
  for (const Recording& recording : recordings(both)) {
    const auto split = std::ranges::lower_bound(recording.traces, others.size());
    const std::vector<std::size_t> there(recording.traces.begin(), split);
    const std::vector<std::size_t> here(split, recording.traces.end());
    if (there.empty() || here.empty()) continue;
    ++found.recordings;
    for (const std::size_t i : here) {
      found.traces.push_back(i - others.size());
      const auto with = [&](auto&& like) {
        return std::ranges::any_of(there, [&](std::size_t j) { return like(both[i], both[j]); });
      };
      found.parts += with(is_part);
      found.same += with([](const NetworkTrace& a, const NetworkTrace& b) {
        return a.time_s == b.time_s && a.mbps == b.mbps;
      });
    }
  }
  std::ranges::sort(found.traces);
  return found;
}

}  // namespace park::abr::traces
