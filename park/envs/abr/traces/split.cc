#include "park/envs/abr/traces/split.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "park/core/error.h"
#include "park/core/rng.h"

namespace park::abr::traces {
namespace {

/// A recording with the traces that are kept of it.
struct Kept {
  std::uint64_t place;  // among all recordings
  std::string name;
  std::vector<NetworkTrace> traces{};
};

/// A number that depends on the seed and the name alone.
std::uint64_t place_of(const SplitOptions& options, const char* what, const std::string& name) {
  return Rng(options.seed).split(what).split(name).bits();
}

/// The longest first, then by random places.
void sort_by_length(std::vector<NetworkTrace>& traces, const SplitOptions& options) {
  const auto key = [&](const NetworkTrace& trace) {
    return std::pair(-trace.time_s.back(), place_of(options, "trace", trace.name));
  };
  std::ranges::sort(traces, {}, key);
}

std::vector<NetworkTrace> kept_of(std::vector<NetworkTrace> traces, const SplitOptions& options,
                                  TraceSet& given) {
  sort_by_length(traces, options);
  std::vector<NetworkTrace> kept;
  for (NetworkTrace& trace : traces) {
    if (std::ranges::any_of(kept, [&](const auto& other) { return is_part(trace, other); }))
      given.leave_out("trace", "a part of another one", trace.name);
    else if (options.most != 0 && kept.size() == options.most)
      given.leave_out("trace", "its recording has the most that are kept", trace.name);
    else
      kept.push_back(std::move(trace));
  }
  return kept;
}

std::vector<NetworkTrace> matching(TraceSet& given, const std::string& pattern) {
  std::vector<NetworkTrace> found;
  for (const NetworkTrace& trace : given.traces())
    if (fnmatch(pattern.c_str(), trace.name.c_str(), 0) == 0) found.push_back(trace);
  const std::size_t others = given.traces().size() - found.size();
  if (others > 0) given.leave_out("trace", "not of that name", "not like " + pattern, others);
  return found;
}

/// The recordings in their random order.
std::vector<Kept> in_order(const std::vector<NetworkTrace>& traces, const SplitOptions& options,
                           TraceSet& given) {
  std::vector<Kept> all;
  for (const Recording& recording : recordings(traces)) {
    std::vector<NetworkTrace> of;
    for (const std::size_t i : recording.traces) of.push_back(traces[i]);
    all.push_back({.place = place_of(options, "recording", recording.name),
                   .name = recording.name,
                   .traces = kept_of(std::move(of), options, given)});
  }
  std::ranges::sort(all, {}, [](const Kept& one) { return std::pair(one.place, one.name); });
  return all;
}

std::size_t share(std::size_t count, std::uint64_t percent) {
  return static_cast<std::size_t>(
      std::llround(static_cast<double>(count) * static_cast<double>(percent) / 100));
}

}  // namespace

Split split_traces(TraceSet& given, const SplitOptions& options) {
  std::vector<Kept> all = in_order(matching(given, options.match), options, given);
  const std::size_t train = share(all.size(), options.train);
  const std::size_t seen = share(all.size(), options.train + options.validation);
  Split split;
  for (std::size_t i = 0; i < all.size(); ++i) {
    SplitPart& part = split.parts[i < train ? 0 : i < seen ? 1 : 2];
    ++part.recordings;
    std::ranges::move(all[i].traces, std::back_inserter(part.traces));
  }
  for (SplitPart& part : split.parts) {
    std::ranges::sort(part.traces, {}, &NetworkTrace::name);
    if (part.traces.empty())
      throw Error(Errc::bad_file, "no recording is left for " + std::string(part.name) +
                                      "; there " + (all.size() == 1 ? "is " : "are ") +
                                      std::to_string(all.size()));
  }
  return split;
}

}  // namespace park::abr::traces
