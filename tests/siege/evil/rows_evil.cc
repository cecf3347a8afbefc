// Servers whose decisions are untrue: counts, columns, places, figures, episodes.
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/siege/evil/evil.h"

namespace park::siege {
namespace {

using Decided = wire::Decisions::Builder;
constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();

Evil decides(const std::string& name, const std::string& about, void (*change)(Decided)) {
  return {.name = name, .about = about, .spoil = redecide(change)};
}
/// The same for what ended, which is a later reply.
Evil ends(const std::string& name, const std::string& about, void (*change)(Decided)) {
  return {.name = name, .about = about, .spoil = redecide([=](Decided d) {
                                          if (d.getEnded() > 0) change(d);
                                        })};
}

/// A column of one number in every row, also where zeros are left out.
template <class T>
void put(capnp::Data::Builder to, T value) {
  fill_column(to, value);
}

/// No rows, in columns that are there and empty.
void ask_nothing(Decided d) {
  const auto columns = d.getObservation().getColumns().size();
  const auto counts = d.getObservation().getCounts().size();
  d.setAsked(0);
  d.initBegun(0);
  for (auto column : {d.initSlot(0), d.initContext(0), d.initSequence(0), d.initReward(0),
                      d.initElapsedS(0), d.initApplied(0), d.initSkipped(0)})
    static_cast<void>(column);
  auto rows = d.initObservation();
  rows.initColumns(columns);
  rows.initCounts(counts);
}

void add_columns(Evils& all) {
  all.push_back(decides("rows-2-32", "2^32 - 1 rows asked", [](Decided d) {
    d.setAsked(kMost);
    d.getObservation().setCount(kMost);
  }));
  all.push_back(decides("count-other", "more rows asked than there are columns for",
                        [](Decided d) { d.setAsked(d.getAsked() + 1); }));
  all.push_back(decides("columns-short", "a column one byte short", [](Decided d) {
    auto columns = d.getObservation().getColumns();
    if (columns.size() > 0 && columns[0].size() > 0)
      columns.init(0, static_cast<unsigned>(columns[0].size() - 1));
  }));
  all.push_back(decides("columns-long", "a column of 1 MiB", [](Decided d) {
    auto columns = d.getObservation().getColumns();
    if (columns.size() > 0) columns.init(0, 1U << 20U);
  }));
  all.push_back(decides("columns-none", "rows without columns", [](Decided d) {
    if (d.getAsked() > 0) d.getObservation().initColumns(0);
  }));
  all.push_back(decides("columns-many", "100 000 columns too many",
                        [](Decided d) { d.getObservation().initColumns(100'000); }));
  all.push_back(decides("counts-2-32", "counts of a group that is not there", [](Decided d) {
    auto counts = d.getObservation().initCounts(1);
    put(counts.init(0, 4 * d.getAsked()), kMost);
  }));
  all.push_back(decides("values-nan", "observations that are no numbers", [](Decided d) {
    for (auto column : d.getObservation().getColumns()) put(column, std::nan(""));
  }));
}

void add_places(Evils& all) {
  all.push_back(decides("slot-2-32", "a slot of 2^32 - 1",
                        [](Decided d) { put(d.initSlot(4 * d.getAsked()), kMost); }));
  all.push_back(decides("slot-1000", "a slot beyond those that were opened",
                        [](Decided d) { put(d.initSlot(4 * d.getAsked()), 1000U); }));
  all.push_back(decides("sequence-other", "rows of a context that never began", [](Decided d) {
    put(d.initSequence(8 * d.getAsked()), std::uint64_t{77});
  }));
  all.push_back(decides("applied-9", "a decision that nobody took",
                        [](Decided d) { put(d.initApplied(d.getAsked()), std::uint8_t{9}); }));
  all.push_back(ends("ended-slot-2-32", "an episode that ended in slot 2^32 - 1",
                     [](Decided d) { put(d.initEndedSlot(4 * d.getEnded()), kMost); }));
  all.push_back(ends("ended-context", "an episode that ended and never began", [](Decided d) {
    put(d.initEndedContext(8 * d.getEnded()), std::uint64_t{123'456});
  }));
  all.push_back(ends("ended-2-32", "2^32 - 1 episodes that ended", [](Decided d) {
    d.setEnded(kMost);
    d.getFinalObservation().setCount(kMost);
  }));
}

void add_figures(Evils& all) {
  all.push_back(decides("reward-nan", "rewards that are no numbers",
                        [](Decided d) { put(d.initReward(8 * d.getAsked()), std::nan("")); }));
  all.push_back(decides("elapsed-negative", "times that run backwards",
                        [](Decided d) { put(d.initElapsedS(8 * d.getAsked()), -1.0); }));
  all.push_back(ends("reward-inf", "a last reward that is infinite", [](Decided d) {
    put(d.initEndedReward(8 * d.getEnded()), std::numeric_limits<double>::infinity());
  }));
  all.push_back(ends("elapsed-nan", "a last time that is no number",
                     [](Decided d) { put(d.initEndedElapsedS(8 * d.getEnded()), std::nan("")); }));
  all.push_back(ends("metrics-nan", "metrics that are no numbers",
                     [](Decided d) { put(d.getMetrics(), std::nan("")); }));
  all.push_back(ends("metrics-inf", "metrics that are infinite", [](Decided d) {
    put(d.getMetrics(), std::numeric_limits<double>::infinity());
  }));
  all.push_back(ends("metrics-short", "a metric too few", [](Decided d) {
    d.initMetrics(static_cast<unsigned>(d.getMetrics().size() - 8));
  }));
}

void add_episodes(Evils& all) {
  all.push_back({.name = "episodes-cut",
                 .about = "done in the middle of the first episodes",
                 .spoil = on(&Envelope::Builder::isDecisions, [](Turn& turn) {
                   turn.reply.getDecisions().setDone(true);
                   ask_nothing(turn.reply.getDecisions());
                   return After::send;
                 })});
  all.push_back(ends("episodes-fewer", "done after the first episode of several", [](Decided d) {
    d.setDone(true);
    ask_nothing(d);
  }));
  all.push_back(decides("episodes-none", "done before the first episode", [](Decided d) {
    d.setDone(true);
    ask_nothing(d);
  }));
  all.push_back(decides("begun-other", "another episode begins than was given", [](Decided d) {
    for (auto episode : d.getBegun()) {
      episode.setId(episode.getId() + 1000);
      episode.setInputs(episode.getInputs() + 1);
    }
  }));
  all.push_back(decides("begun-none", "no episodes for the rows that begin",
                        [](Decided d) { d.initBegun(0); }));
  all.push_back(decides("begun-many", "100 000 episodes that begin",
                        [](Decided d) { d.initBegun(100'000); }));
  all.push_back(decides("horizon-nan", "an episode whose horizon is no number", [](Decided d) {
    for (auto episode : d.getBegun()) episode.setHorizonS(std::nan(""));
  }));
  all.push_back({.name = "reply-other",
                 .about = "a reply of another kind to a step",
                 .spoil = [](Turn& turn) {
                   if (turn.request.isStep()) turn.reply.initPolicyOpened().setId(1);
                   return After::send;
                 }});
}

}  // namespace

void add_rows_evil(Evils& all) {
  add_columns(all);
  add_places(all);
  add_figures(all);
  add_episodes(all);
}

}  // namespace park::siege
