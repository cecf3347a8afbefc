#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace park::load_balance {

/// The jobs of a file: their sizes and, if the file has them, the gaps before them. The file is CSV
/// with the first line `size` or `gap_s,size`. Every other line is a job: the time since the
/// arrival before it (seconds, at least 0) and its size (work, above 0). Immutable.
class Recording {
 public:
  /// Files that are open already, and have not changed, are shared within the process. Throws
  /// Error{io} if the file cannot be read and Error{bad_file} with one line per violation.
  [[nodiscard]] static std::shared_ptr<const Recording> open(const std::string& path);
  /// Reads the text of such a file; `name` stands for it in messages.
  [[nodiscard]] static Recording parse(const std::string& text, const std::string& name);

  [[nodiscard]] std::span<const double> sizes() const noexcept { return sizes_; }
  /// As many as sizes, or none.
  [[nodiscard]] std::span<const double> gaps_s() const noexcept { return gaps_s_; }

 private:
  std::vector<double> sizes_, gaps_s_;
};

}  // namespace park::load_balance
