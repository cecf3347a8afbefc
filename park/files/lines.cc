#include "park/files/lines.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <system_error>

namespace park::files {
namespace {

constexpr std::string_view kBlanks = " \t\r";

}  // namespace

void LineReader::check_length(std::size_t bytes) const {
  if (bytes <= kMaxLine) return;
  throw Error(Errc::bad_file, name_ + ": line " + std::to_string(number_ + 1) + ": longer than " +
                                  std::to_string(kMaxLine) + " bytes");
}

bool LineReader::fill() {
  if (exhausted_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  check_length(end_);
  if (buffer_.size() - end_ < kBlock) buffer_.resize(std::max(buffer_.size() * 2, 2 * kBlock));
  const std::size_t room = buffer_.size() - end_;
  const std::size_t got = source_.read(std::span(buffer_.data() + end_, room));
  end_ += got;
  exhausted_ = got < room;
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const char* first = buffer_.data() + begin_;
    const void* found = end_ - begin_ == searched
                            ? nullptr
                            : std::memchr(first + searched, '\n', end_ - begin_ - searched);
    if (found != nullptr) {
      line = {first, static_cast<std::size_t>(static_cast<const char*>(found) - first)};
      begin_ += line.size() + 1;
      ended_ = true;
      break;
    }
    searched = end_ - begin_;
    if (fill()) continue;
    if (searched == 0) return false;
    line = {buffer_.data() + begin_, searched};
    begin_ = end_;
    ended_ = false;
    break;
  }
  check_length(line.size());
  ++number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool NumberLines::next() {
  while (!rest_.empty()) {
    line_ = take_line(rest_);
    ++number_;
    if (line_.find_first_not_of(kBlanks) != std::string_view::npos) return true;
  }
  return false;
}

std::string_view NumberLines::word() {
  line_.remove_prefix(std::min(line_.find_first_not_of(kBlanks), line_.size()));
  const std::string_view word = line_.substr(0, line_.find_first_of(kBlanks));
  line_.remove_prefix(word.size());
  return word;
}

std::optional<double> number_in(std::string_view word, double low, double high) {
  double v = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), v);
  if (error != std::errc{} || end != word.data() + word.size()) return {};
  if (!(v >= low && v <= high)) return {};
  return v;
}

void add_at(Violations& bad, const std::string& name, std::size_t line, const std::string& what) {
  bad.add(name + ":" + std::to_string(line) + ": " + what);
}

}  // namespace park::files
