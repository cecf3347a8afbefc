// A candidate is a file: C++ source, Python source, or expressions over leaves. `prepare` reads or
// compiles it for one environment. `start` makes a process that answers rows.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "park/judge/contract.h"
#include "park/judge/process.h"

namespace park::judge {

enum class Kind : std::uint8_t { cpp, python, expression };
[[nodiscard]] const char* to_text(Kind) noexcept;

struct CandidateFile {
  std::string path{}, text{};
  std::string sha256{};  ///< of the text
  Kind kind = Kind::expression;
};

/// The largest candidate, in bytes.
inline constexpr std::uint64_t kMostCandidate = std::uint64_t{256} << 10;

/// The kind follows from the suffix: .cc, .cpp, .cxx; .py; .expr. Throws Error{io},
/// Error{bad_file} in one line that names the suffixes.
[[nodiscard]] CandidateFile read_candidate(const std::string& path);

/// Programs that candidates need.
struct Tools {
  std::string compiler = "c++";    ///< with static libraries; for C++
  std::string python = "python3";  ///< from 3.9
};

/// Thrown where a candidate is not what it should be; the text is for its author.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Candidate {
 public:
  virtual ~Candidate() = default;
  /// Throws as Process. REQUIRES that no other thread of this process runs.
  [[nodiscard]] virtual std::unique_ptr<Process> start(const Limits&) const = 0;
};

/// Throws Refused; Error{unavailable} where a tool is missing.
[[nodiscard]] std::unique_ptr<Candidate> prepare(const CandidateFile&, const Contract&,
                                                 const Tools&);

// The kinds.
[[nodiscard]] std::unique_ptr<Candidate> prepare_expression(const CandidateFile&, const Contract&);
[[nodiscard]] std::unique_ptr<Candidate> prepare_python(const CandidateFile&, const Contract&,
                                                        const Tools&);
[[nodiscard]] std::unique_ptr<Candidate> prepare_cpp(const CandidateFile&, const Contract&,
                                                     const Tools&);

}  // namespace park::judge
