#include "park/files/json_elements.h"

#include <span>
#include <utility>

#include "park/core/error.h"

namespace park::files {
namespace {

constexpr int kNoMore = -1;

}  // namespace

JsonElements::JsonElements(ByteSource& source, std::string name)
    : source_(source), name_(std::move(name)), buffer_(kBlock) {}

void JsonElements::fail(const std::string& what) const {
  throw Error(Errc::bad_file, name_ + ":" + std::to_string(line_) + ": " + what);
}

int JsonElements::get() {
  if (at_ == end_) {
    at_ = 0;
    end_ = source_.read(std::span(buffer_));
    if (end_ == 0) return kNoMore;
  }
  const char c = buffer_[at_++];
  if (c == '\n') ++line_;
  return static_cast<unsigned char>(c);
}

int JsonElements::get_visible() {
  for (;;) {
    const int c = get();
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return c;
  }
}

void JsonElements::take(int first) {
  element_.clear();
  begun_ = line_;
  std::size_t depth = 0;
  bool quoted = false, escaped = false;
  for (int c = first;; c = get()) {
    if (c == kNoMore) fail("the text ends within the array");
    if (!quoted && depth == 0 && (c == ',' || c == ']')) {
      place_ = c == ',' ? Place::within : Place::closed;
      return;
    }
    if (!quoted && depth == 0 && c == '}') fail("brackets that do not match");
    if (!quoted && (c == '{' || c == '[')) ++depth;
    if (!quoted && (c == '}' || c == ']')) --depth;
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = quoted && c == '\\' && !escaped;
    if (element_.size() == kMostBytes)
      fail("an element is longer than " + std::to_string(kMostBytes) + " bytes");
    element_ += static_cast<char>(c);
  }
}

bool JsonElements::next(std::string_view& element) {
  if (place_ == Place::before && get_visible() != '[') fail("must be a JSON array");
  if (place_ == Place::before || place_ == Place::within) {
    const int c = get_visible();
    if (place_ == Place::within || c != ']') {
      take(c);
      element = element_;
      return true;
    }
    place_ = Place::closed;
  }
  if (place_ == Place::closed && get_visible() != kNoMore) fail("text behind the array");
  place_ = Place::behind;
  return false;
}

}  // namespace park::files
