#include "park/plugins/sink_calls.h"

#include <span>
#include <string_view>

#include "park/plugin/read.h"
#include "park/plugin/tables.h"

namespace park::plugins {
namespace {

std::string_view text_view(const char* text) noexcept { return text ? text : ""; }

}  // namespace

SinkCalls::SinkCalls(EventSink& to) : to_(&to) {
  table_ = {sizeof(ParkSink), this, &lane, &job, &span, &point, &value};
}

template <class F>
void SinkCalls::guarded(void* self, F&& f) noexcept {
  auto& calls = *static_cast<SinkCalls*>(self);
  if (calls.failed_) return;
  try {
    calls.args_.clear();
    calls.stages_.clear();
    f(calls);
  } catch (...) {
    calls.failed_ = std::current_exception();
  }
}

void SinkCalls::add(const ParkEventArg* const* args, std::uint64_t count) {
  plugin::for_each(args, count, "argument of an event", [&](const ParkEventArg& a) {
    args_.push_back({text_view(a.name), a.value, text_view(a.label)});
  });
}

void SinkCalls::lane(void* self, const char* name) {
  guarded(self, [&](SinkCalls& c) { c.to_->lane(text_view(name)); });
}

void SinkCalls::job(void* self, std::uint64_t number, const char* name,
                    const ParkEventStage* const* stages, std::uint64_t count) {
  guarded(self, [&](SinkCalls& c) {
    std::size_t all = 0;
    plugin::for_each(stages, count, "stage of a job",
                     [&](const ParkEventStage& s) { all += s.arg_count; });
    c.args_.reserve(all);  // spans of them stay
    plugin::for_each(stages, count, "stage of a job", [&](const ParkEventStage& s) {
      const std::size_t first = c.args_.size();
      c.add(s.args, s.arg_count);
      c.stages_.push_back({{s.parents, s.parent_count}, std::span(c.args_).subspan(first)});
    });
    c.to_->job(number, text_view(name), c.stages_);
  });
}

void SinkCalls::span(void* self, const char* lane, double start_s, double end_s, const char* what,
                     const ParkEventArg* const* args, std::uint64_t count) {
  guarded(self, [&](SinkCalls& c) {
    c.add(args, count);
    c.to_->span(text_view(lane), start_s, end_s, text_view(what), c.args_);
  });
}

void SinkCalls::point(void* self, const char* lane, double time_s, const char* what,
                      const ParkEventArg* const* args, std::uint64_t count) {
  guarded(self, [&](SinkCalls& c) {
    c.add(args, count);
    c.to_->point(text_view(lane), time_s, text_view(what), c.args_);
  });
}

void SinkCalls::value(void* self, const char* lane, const char* series, double time_s,
                      double value) {
  guarded(self,
          [&](SinkCalls& c) { c.to_->value(text_view(lane), text_view(series), time_s, value); });
}

}  // namespace park::plugins
