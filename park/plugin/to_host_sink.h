#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "park/core/events.h"
#include "park/plugin/tables.h"

namespace park::plugin {

/// The sink of the host, for environments of a plug-in. Its memory is used again.
class ToHostSink final : public EventSink {
 public:
  explicit ToHostSink(const ParkSink& host) : host_(copied(host)) {}

  /// Streams begin an episode themselves; environments never do.
  void begin(const Episode&) override {}
  void lane(std::string_view name) override {
    texts_.clear();
    host_.lane(host_.self, texts_(name));
  }
  void job(std::uint64_t number, std::string_view name,
           std::span<const EventStage> stages) override {
    clear();
    std::size_t all = 0;
    for (const EventStage& s : stages) all += s.args.size();
    args_.reserve(all);  // pointers to them stay
    arg_list_.reserve(all);
    std::vector<ParkEventStage>& to = stages_;
    for (const EventStage& s : stages) {
      const std::size_t first = args_.size();
      add(s.args);
      to.push_back({sizeof(ParkEventStage), s.parents.data(), s.parents.size(),
                    arg_list_.data() + first, s.args.size()});
    }
    host_.job(host_.self, number, texts_(name), stage_list_.of(to), to.size());
  }
  void span(std::string_view lane, double start_s, double end_s, std::string_view what,
            std::span<const EventArg> args) override {
    const ParkEventArg* const* list = only(args);
    host_.span(host_.self, texts_(lane), start_s, end_s, texts_(what), list, args.size());
  }
  void point(std::string_view lane, double time_s, std::string_view what,
             std::span<const EventArg> args) override {
    const ParkEventArg* const* list = only(args);
    host_.point(host_.self, texts_(lane), time_s, texts_(what), list, args.size());
  }
  void value(std::string_view lane, std::string_view series, double time_s, double value) override {
    texts_.clear();
    const char* const name = texts_(lane);
    host_.value(host_.self, name, texts_(series), time_s, value);
  }

 private:
  void clear() {
    texts_.clear();
    args_.clear();
    arg_list_.clear();
    stages_.clear();
  }
  /// REQUIRES args_ and arg_list_ that need not grow for them.
  void add(std::span<const EventArg> args) {
    for (const EventArg& a : args) {
      args_.push_back({sizeof(ParkEventArg), texts_(a.name), a.value, texts_(a.label)});
      arg_list_.push_back(&args_.back());
    }
  }
  [[nodiscard]] const ParkEventArg* const* only(std::span<const EventArg> args) {
    clear();
    args_.reserve(args.size());
    add(args);
    return arg_list_.data();
  }

  ParkSink host_;
  Texts texts_;
  std::vector<ParkEventArg> args_;
  std::vector<const ParkEventArg*> arg_list_;
  std::vector<ParkEventStage> stages_;
  PointerList<ParkEventStage> stage_list_;
};

}  // namespace park::plugin
