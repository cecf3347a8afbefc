// A stack machine for Python pickles, protocol 2. The bytes are read once, one operation after the
// other; scalars push, marks delimit, containers pop to the mark, the memo keeps values by number.
// Calls and globals are kept as data and never made. Every size is checked against the bytes that
// are there. npy.cc reads arrays of objects with it.
#include "park/envs/dag_scheduling/workload/pickle.h"

#include <algorithm>
#include <utility>

#include "park/core/error.h"

namespace park::dag_scheduling::workload {
namespace {

// The operations' bytes, from Python's pickletools.
constexpr unsigned char kMark = '(';
constexpr unsigned char kStop = '.';
constexpr unsigned char kNone = 'N';
constexpr unsigned char kNewFalse = 0x89;
constexpr unsigned char kNewTrue = 0x88;
constexpr unsigned char kBinInt = 'J';
constexpr unsigned char kBinInt1 = 'K';
constexpr unsigned char kBinInt2 = 'M';
constexpr unsigned char kShortBinString = 'U';
constexpr unsigned char kGlobal = 'c';
constexpr unsigned char kReduce = 'R';
constexpr unsigned char kBuild = 'b';
constexpr unsigned char kEmptyTuple = ')';
constexpr unsigned char kTuple1 = 0x85;
constexpr unsigned char kTuple2 = 0x86;
constexpr unsigned char kTuple3 = 0x87;
constexpr unsigned char kTuple = 't';
constexpr unsigned char kEmptyList = ']';
constexpr unsigned char kAppend = 'a';
constexpr unsigned char kAppends = 'e';
constexpr unsigned char kEmptyDict = '}';
constexpr unsigned char kSetItem = 's';
constexpr unsigned char kSetItems = 'u';
constexpr unsigned char kBinPut = 'q';
constexpr unsigned char kLongBinPut = 'r';
constexpr unsigned char kBinGet = 'h';
constexpr unsigned char kLongBinGet = 'j';
constexpr unsigned char kProto = 0x80;

}  // namespace

/// The stack machine of the format.
class Pickle::Machine {
 public:
  Machine(Pickle& pickle, std::span<const std::byte> bytes, const std::string& source)
      : pickle_(pickle), bytes_(bytes), source_(source) {}

  void run() {
    if (bytes_.size() > kMaxBytes) fail("larger than 4 MiB");
    if (number(1) != kProto || number(1) != 2) fail("not a pickle of protocol 2");
    for (;;) {
      const auto op = static_cast<unsigned char>(number(1));
      if (op == kStop) break;
      if (!scalar(op) && !container(op) && !change(op)) fail("an operation that is not supported");
    }
    if (at_ != bytes_.size()) fail("bytes after the end");
    pickle_.root_ = pop();
    if (!stack_.empty()) fail("values left over");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Errc::bad_file,
                source_ + ": pickle: " + what + " (byte " + std::to_string(at_) + ")");
  }

  /// The next bytes as a little-endian number.
  std::uint32_t number(std::size_t size) {
    if (bytes_.size() - at_ < size) fail("truncated");
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      value |= std::to_integer<std::uint32_t>(bytes_[at_++]) << (8 * i);
    }
    return value;
  }

  std::string line() {
    std::string text;
    for (char c; (c = static_cast<char>(number(1))) != '\n';) text += c;
    return text;
  }

  void push(PickleKind kind, std::int64_t value) { stack_.push_back({kind, value, 0}); }
  void push_text(PickleKind kind, std::string text) {
    stack_.push_back({kind, 0, static_cast<std::uint32_t>(pickle_.texts_.size())});
    pickle_.texts_.push_back(std::move(text));
  }
  void push_container(PickleKind kind, std::vector<PickleValue> items) {
    stack_.push_back({kind, 0, static_cast<std::uint32_t>(pickle_.containers_.size())});
    pickle_.containers_.push_back(std::move(items));
  }

  PickleValue& top() {
    if (stack_.empty() || stack_.back().kind == PickleKind::mark) fail("a value is missing");
    return stack_.back();
  }
  PickleValue pop() {
    const PickleValue value = top();
    stack_.pop_back();
    return value;
  }
  std::vector<PickleValue> pop_last(std::size_t count) {
    std::vector<PickleValue> values(count);
    for (std::size_t i = count; i > 0; --i) values[i - 1] = pop();
    return values;
  }
  std::vector<PickleValue> pop_to_mark() {
    const auto is_mark = [](const PickleValue& value) { return value.kind == PickleKind::mark; };
    const auto mark = std::find_if(stack_.rbegin(), stack_.rend(), is_mark);
    if (mark == stack_.rend()) fail("a mark is missing");
    std::vector<PickleValue> values(mark.base(), stack_.end());
    stack_.erase(mark.base() - 1, stack_.end());
    return values;
  }

  bool scalar(unsigned char op) {
    switch (op) {
      case kNone:
        push(PickleKind::none, 0);
        return true;
      case kNewFalse:
      case kNewTrue:
        push(PickleKind::boolean, op == kNewTrue);
        return true;
      case kBinInt:
        push(PickleKind::integer, static_cast<std::int32_t>(number(4)));
        return true;
      case kBinInt1:
        push(PickleKind::integer, number(1));
        return true;
      case kBinInt2:
        push(PickleKind::integer, number(2));
        return true;
      case kShortBinString:
        push_short_string();
        return true;
      case kGlobal: {
        std::string module = line();
        push_text(PickleKind::global, std::move(module) + " " + line());
        return true;
      }
      case kMark:
        push(PickleKind::mark, 0);
        return true;
      default:
        return false;
    }
  }

  void push_short_string() {
    const std::size_t size = number(1);
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(number(1));
    push_text(PickleKind::text, std::move(text));
  }

  bool container(unsigned char op) {
    switch (op) {
      case kEmptyTuple:
        push_container(PickleKind::tuple, {});
        return true;
      case kTuple1:
      case kTuple2:
      case kTuple3:
        push_container(PickleKind::tuple, pop_last(std::size_t{op} - kTuple1 + 1));
        return true;
      case kTuple:
        push_container(PickleKind::tuple, pop_to_mark());
        return true;
      case kEmptyList:
        push_container(PickleKind::list, {});
        return true;
      case kEmptyDict:
        push_container(PickleKind::dict, {});
        return true;
      default:
        return false;
    }
  }

  bool change(unsigned char op) {
    switch (op) {
      case kAppend:
        extend(PickleKind::list, pop_last(1));
        return true;
      case kAppends:
        extend(PickleKind::list, pop_to_mark());
        return true;
      case kSetItem:
        extend(PickleKind::dict, pop_last(2));
        return true;
      case kSetItems:
        extend(PickleKind::dict, pop_to_mark());
        return true;
      case kReduce:
        push_container(PickleKind::object, pop_last(2));
        return true;
      case kBuild:
        extend(PickleKind::object, pop_last(1));
        return true;
      case kBinPut:
        put(number(1));
        return true;
      case kLongBinPut:
        put(number(4));
        return true;
      case kBinGet:
        get(number(1));
        return true;
      case kLongBinGet:
        get(number(4));
        return true;
      default:
        return false;
    }
  }

  void extend(PickleKind kind, const std::vector<PickleValue>& values) {
    const PickleValue target = top();
    if (target.kind != kind) fail("an item for something that takes none");
    if (kind == PickleKind::dict && values.size() % 2 != 0) fail("a key without a value");
    std::vector<PickleValue>& items = pickle_.containers_[target.index];
    items.insert(items.end(), values.begin(), values.end());
  }

  /// Python counts the memo up from 0 or 1; gaps have no use but to claim memory.
  void put(std::uint32_t slot) {
    if (slot > memo_.size() + 1) fail("a memo out of order");
    if (slot >= memo_.size()) memo_.resize(slot + 1);
    memo_[slot] = top();
  }
  void get(std::uint32_t slot) {
    if (slot >= memo_.size()) fail("an unknown memo");
    stack_.push_back(memo_[slot]);
  }

  Pickle& pickle_;
  std::span<const std::byte> bytes_;
  const std::string& source_;
  std::size_t at_ = 0;
  std::vector<PickleValue> stack_, memo_;
};

Pickle::Pickle(std::span<const std::byte> bytes, const std::string& source) {
  Machine(*this, bytes, source).run();
}

}  // namespace park::dag_scheduling::workload
