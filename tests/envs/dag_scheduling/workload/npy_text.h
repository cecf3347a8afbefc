#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace park::test {

/// The content of a task_duration file, in the order in which it is written.
using DecimaLevels = std::vector<std::pair<int, std::vector<int>>>;
using DecimaWaves = std::vector<std::pair<std::string, DecimaLevels>>;
using DecimaStages = std::vector<std::pair<int, DecimaWaves>>;

inline std::string npy_file(const std::string& header, const std::string& data) {
  std::string padded = header;
  while ((10 + padded.size() + 1) % 16 != 0) padded += ' ';
  padded += '\n';
  const auto size = padded.size();
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(size & 0xff) +
         static_cast<char>(size >> 8) + padded + data;
}

inline std::string npy_matrix(std::size_t n, const std::vector<double>& values) {
  std::string data;
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i) data += static_cast<char>(bits >> (8 * i));
  }
  const std::string size = std::to_string(n);
  return npy_file(
      "{'descr': '<f8', 'fortran_order': False, 'shape': (" + size + ", " + size + "), }", data);
}

inline std::string npy_object(const std::string& pickle) {
  return npy_file("{'descr': '|O', 'fortran_order': False, 'shape': (), }", pickle);
}

/// Writes pickles of protocol 2 as Python's pickler does, memos included.
class PickleText {
 public:
  PickleText& op(const std::string& bytes) {
    text_ += bytes;
    return *this;
  }
  PickleText& memo() {
    ++memos_;
    return memos_ < 256 ? op("q").number(memos_, 1) : op("r").number(memos_, 4);
  }
  PickleText& integer(int value) {
    if (value >= 0 && value < 256) return op("K").number(value, 1);
    if (value >= 0 && value < 65536) return op("M").number(value, 2);
    return op("J").number(value, 4);
  }
  PickleText& string(const std::string& value) {
    return op("U").number(static_cast<int>(value.size()), 1).op(value).memo();
  }
  PickleText& number(int value, int bytes) {
    for (int i = 0; i < bytes; ++i) text_ += static_cast<char>(value >> (8 * i));
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  int memos_ = 0;
};

/// A 0-d array of objects that holds the dict of a task_duration file.
inline std::string pickle_of(const DecimaStages& stages) {
  PickleText out;
  out.op("\x80\x02").op("cnumpy.core.multiarray\n_reconstruct\n").memo();
  out.op("cnumpy\nndarray\n").memo().integer(0).op("\x85").string("b").op("\x87R").memo();
  out.op("(").integer(1).op(")").op("cnumpy\ndtype\n").memo().string("O8").integer(0).integer(1);
  out.op("\x87R").memo().op("(").integer(3).string("|").op("NNN").integer(-1).integer(-1);
  out.integer(63).op("tb").op("\x89").op("]").memo().op("}").memo().op("(");
  for (const auto& [stage, waves] : stages) {
    out.integer(stage).op("}").memo().op("(");
    for (const auto& [wave, levels] : waves) {
      out.string(wave).op("}").memo().op("(");
      for (const auto& [level, samples] : levels) {
        out.integer(level).op("]").memo();
        if (samples.size() == 1) out.integer(samples[0]).op("a");
        if (samples.size() < 2) continue;
        out.op("(");
        for (const int sample : samples) out.integer(sample);
        out.op("e");
      }
      out.op("u");
    }
    out.op("u");
  }
  return out.op("ua").op("t").memo().op("b.").text();
}

}  // namespace park::test
