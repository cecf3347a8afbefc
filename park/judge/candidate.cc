#include "park/judge/candidate.h"

#include <filesystem>

#include "park/core/error.h"
#include "park/files/read.h"
#include "park/files/sha256.h"

namespace park::judge {

const char* to_text(Kind kind) noexcept {
  return kind == Kind::cpp ? "cpp" : kind == Kind::python ? "python" : "expression";
}

CandidateFile read_candidate(const std::string& path) {
  const std::string suffix = std::filesystem::path(path).extension().string();
  CandidateFile file{.path = path};
  if (suffix == ".py")
    file.kind = Kind::python;
  else if (suffix == ".cc" || suffix == ".cpp" || suffix == ".cxx")
    file.kind = Kind::cpp;
  else if (suffix != ".expr")
    throw Error(Errc::bad_file, path + ": a candidate ends with .cc, .cpp, .cxx, .py or .expr");
  file.text = files::read_whole(path, kMostCandidate);
  file.sha256 = files::sha256_text(file.text);
  return file;
}

std::unique_ptr<Candidate> prepare(const CandidateFile& file, const Contract& contract,
                                   const Tools& tools) {
  switch (file.kind) {
    case Kind::cpp:
      return prepare_cpp(file, contract, tools);
    case Kind::python:
      return prepare_python(file, contract, tools);
    default:
      return prepare_expression(file, contract);
  }
}

}  // namespace park::judge
