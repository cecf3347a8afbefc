#include "park/core/data_path.h"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "park/core/error.h"

namespace park {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Whether what dladdr found is the program itself, which all of Park may be linked into. Its name is then
/// argv[0], which a search in PATH leaves without a folder.
bool is_program(const Dl_info& found) {
  Dl_info program{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how the kernel tells it
  const auto* const headers = reinterpret_cast<const void*>(getauxval(AT_PHDR));
  return dladdr(headers, &program) != 0 && program.dli_fbase == found.dli_fbase;
}

/// Set for a plug-in; else empty.
fs::path& given_data_dir() {
  static fs::path given;
  return given;
}

}  // namespace

void set_data_dir(fs::path folder) { given_data_dir() = std::move(folder); }

fs::path library_dir() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&library_dir), &info) == 0 || info.dli_fname == nullptr)
    throw Error(Errc::io, "the folder of libpark_core is not found");
  const char* const name = is_program(info) ? "/proc/self/exe" : info.dli_fname;
  std::error_code failed;
  const fs::path file = fs::canonical(name, failed);
  return (failed ? fs::path(name) : file).parent_path();
}

fs::path data_dir() {
  if (const char* const chosen = std::getenv("PARK_DATA"); chosen != nullptr && *chosen != '\0') {
    if (is_folder(chosen)) return chosen;
    throw Error(Errc::io, "PARK_DATA = " + std::string(chosen) + " is not a folder");
  }
  if (!given_data_dir().empty()) return given_data_dir();
  const fs::path own = library_dir();
  std::string looked_for;
  // beside a library that all of Park is part of; lib/, lib/<architecture>/ of a prefix; then
  // build/<preset>/lib of the source tree
  for (const char* relative : {"data", "../share/park", "../../share/park", "../../../data"}) {
    fs::path candidate = (own / relative).lexically_normal();
    if (is_folder(candidate)) return candidate;
    looked_for += (looked_for.empty() ? "" : ", ") + candidate.string();
  }
  throw Error(Errc::io,
              "the bundled data is not found in " + looked_for + "; set PARK_DATA to its folder");
}

}  // namespace park
