// Reads a JSON object part by part from a stream. Bytes counts lines while the parser walks over
// it; PartsHandler takes the parser's events, keeps a stack of open values, and delivers each
// complete part before the next one begins. So memory holds one part at a time. Importers of large
// JSON files call read_json_parts.
#include "park/files/json_tree.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "park/core/error.h"
#include "park/files/json_complaint.h"
#include "park/files/shown.h"

namespace park::files {
namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxMembers = 100;  // of an object

/// The bytes of a source one by one, and the line of the last one.
class Bytes {
 public:
  explicit Bytes(ByteSource& source) : source_(source), buffer_(kBlock) { fill(); }

  [[nodiscard]] bool ended() const noexcept { return at_ == end_; }
  [[nodiscard]] char current() const noexcept { return buffer_[at_]; }
  void next() {
    if (buffer_[at_] == '\n') ++lines_;
    last_is_end_ = buffer_[at_] == '\n';
    if (++at_ == end_) fill();
  }
  /// The parser reads one byte beyond a number; a line end there is not counted yet.
  [[nodiscard]] std::uint64_t line() const noexcept { return lines_ + (last_is_end_ ? 0 : 1); }
  [[nodiscard]] std::uint64_t lines() const noexcept { return lines_ + (last_is_end_ ? 0 : 1); }

 private:
  void fill() {
    at_ = 0;
    end_ = source_.read(buffer_);
  }

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t lines_ = 0;
  bool last_is_end_ = false;
};

/// What the parser walks along; copies are the same place.
class ByteIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  ByteIterator() = default;
  explicit ByteIterator(Bytes& bytes) : bytes_(&bytes) {}
  char operator*() const noexcept { return bytes_->current(); }
  ByteIterator& operator++() {
    bytes_->next();
    return *this;
  }
  ByteIterator operator++(int) {
    bytes_->next();
    return *this;
  }
  bool operator==(const ByteIterator& other) const noexcept { return ended() == other.ended(); }

 private:
  [[nodiscard]] bool ended() const noexcept { return bytes_ == nullptr || bytes_->ended(); }
  Bytes* bytes_ = nullptr;
};

/// Takes the parser's events.
class PartsHandler {
 public:
  using Json = nlohmann::json;

  PartsHandler(const Bytes& bytes, const std::string& file, const JsonParts& parts)
      : bytes_(bytes), file_(file), parts_(parts) {}

  bool null() { return add(value(JsonValue::Kind::null)); }
  bool boolean(bool yes) {
    JsonValue v = value(JsonValue::Kind::boolean);
    v.yes = yes;
    return add(std::move(v));
  }
  bool number_integer(Json::number_integer_t n) { return add_number(static_cast<double>(n)); }
  bool number_unsigned(Json::number_unsigned_t n) { return add_number(static_cast<double>(n)); }
  bool number_float(Json::number_float_t n, const Json::string_t&) { return add_number(n); }
  bool string(Json::string_t& text) {
    JsonValue v = value(JsonValue::Kind::text);
    v.text = std::move(text);
    return add(std::move(v));
  }
  bool binary(Json::binary_t&) { return false; }  // JSON texts have none
  bool key(Json::string_t& name) {
    auto& keys = open_.empty() ? members_ : open_.back()->keys;
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) {
      fail("the member " + shown(name) + " is given twice");
    }
    if (keys.size() >= kMaxMembers) fail("an object has more than 100 members");
    keys.push_back(std::move(name));
    return true;
  }
  bool start_object(std::size_t) {
    if (level_ == Level::before) return enter(Level::root);
    return open(JsonValue::Kind::object);
  }
  bool end_object() {
    if (open_.empty()) return enter(Level::behind);
    return close();
  }
  bool start_array(std::size_t) {
    if (level_ == Level::root && open_.empty() && members_.back() == parts_.parts) {
      return enter(Level::parts);
    }
    return open(JsonValue::Kind::array);
  }
  bool end_array() {
    if (open_.empty()) return enter(Level::root);
    return close();
  }
  bool parse_error(std::size_t, const std::string& last, const nlohmann::detail::exception& error) {
    fail(json_complaint(error.what(), last));
  }

 private:
  enum class Level { before, root, parts, behind };

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Errc::bad_file, file_ + ":" + std::to_string(bytes_.line()) + ": " + what);
  }

  bool enter(Level level) {
    level_ = level;
    return true;
  }
  [[nodiscard]] JsonValue value(JsonValue::Kind kind) const {
    JsonValue v;
    v.kind = kind;
    v.line = bytes_.line();
    return v;
  }
  bool add_number(double n) {
    if (!open_.empty() && open_.back()->kind == JsonValue::Kind::array) {
      open_.back()->numbers.push_back(n);
      return true;
    }
    JsonValue v = value(JsonValue::Kind::number);
    v.number = n;
    return add(std::move(v));
  }
  /// A whole value.
  bool add(JsonValue v) {
    (void)place(std::move(v));
    if (open_.empty()) deliver();
    return true;
  }
  JsonValue& place(JsonValue v) {
    if (level_ == Level::before) fail("must be a JSON object {...}");
    if (open_.empty()) return current_ = std::move(v);
    return open_.back()->items.emplace_back(std::move(v));
  }
  bool open(JsonValue::Kind kind) {
    if (open_.size() >= kMaxDepth) fail("nested too deeply");
    open_.push_back(&place(value(kind)));
    return true;
  }
  bool close() {
    open_.pop_back();
    if (open_.empty()) deliver();
    return true;
  }
  void deliver() {
    if (level_ == Level::parts) {
      parts_.on_part(current_);
    } else {
      parts_.on_member(members_.back(), current_);
    }
  }

  const Bytes& bytes_;
  const std::string& file_;
  const JsonParts& parts_;
  Level level_ = Level::before;
  std::vector<std::string> members_;  ///< of the root, so far
  JsonValue current_;                 ///< a member of the root or a part, while it is read
  std::vector<JsonValue*> open_;      ///< each the last item of the one before it
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const noexcept {
  const auto at = std::find(keys.begin(), keys.end(), key);
  return at == keys.end() ? nullptr : &items[static_cast<std::size_t>(at - keys.begin())];
}

std::string_view JsonValue::kind_text() const noexcept {
  constexpr std::array<std::string_view, 6> kTexts = {"null",   "true or false", "a number",
                                                      "a text", "a list",        "an object"};
  return kTexts[static_cast<std::size_t>(kind)];
}

std::uint64_t read_json_parts(ByteSource& source, const std::string& file, const JsonParts& parts) {
  Bytes bytes(source);
  PartsHandler handler(bytes, file, parts);
  if (!nlohmann::json::sax_parse(ByteIterator(bytes), ByteIterator(), &handler)) {
    throw Error(Errc::bad_file, file + ": no JSON");
  }
  return bytes.lines();
}

}  // namespace park::files
