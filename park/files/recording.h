#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/config.h"
#include "park/core/space.h"
#include "park/files/byte_source.h"

namespace park::files {

/// What importers share that read data recorded by others.

/// A file to read.
struct RecordedFile {
  std::string name;  ///< for messages
  std::unique_ptr<ByteSource> source;
};

/// The part of the recorded time that is taken.
struct RecordedPart {
  double begin_s = 0, length_s = kInf;

  bool operator==(const RecordedPart&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("begin_s", c.begin_s,
          FieldDoc{.doc = "time after the first arrival at which the trace begins",
                   .unit = "s",
                   .min = 0,
                   .max = 1e12});
    visit("length_s", c.length_s, FieldDoc{.doc = "length of the trace", .unit = "s", .min = 1e-3});
  }

  /// Whether a time is in it; `first_s` is that of the first arrival.
  [[nodiscard]] bool has(double time_s, double first_s) const noexcept {
    const double start_s = first_s + begin_s;
    return time_s >= start_s && time_s <= start_s + length_s;
  }
};

/// The rows that were read. Broken ones are left out.
struct RowCount {
  static constexpr std::size_t kMostListed = 20;

  std::uint64_t rows = 0;                   ///< that were read, without first and empty lines
  std::uint64_t broken = 0;                 ///< of them, left out
  std::vector<std::string> first_broken{};  ///< at most kMostListed: "NAME:LINE: what is wrong"

  void add_broken(const std::string& name, std::uint64_t line, const std::string& wrong);
  /// Throws Error{bad_file}, with the broken rows that are listed, where more than 1 % are broken.
  void refuse_broken() const;
};

/// Throws Error{bad_file} where the source broke off before its end.
void refuse_cut_short(const RecordedFile&);

/// Seconds since 1970, without leap seconds, of "2023-11-16 18:15:46.6805900"; a fraction and +00:00
/// may be missing. None where the text is no such time.
[[nodiscard]] std::optional<double> time_of_date(std::string_view text);

/// Seconds to the microsecond, as importers write them.
[[nodiscard]] double in_microseconds(double seconds) noexcept;

}  // namespace park::files
