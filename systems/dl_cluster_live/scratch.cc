#include "systems/dl_cluster_live/scratch.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "park/core/error.h"

namespace park::dl_cluster_live {

Scratch::Scratch(std::string_view name) {
  std::string path =
      (std::filesystem::temp_directory_path() / std::string(name).append("-XXXXXX")).string();
  if (mkdtemp(path.data()) == nullptr)
    throw Error(Errc::io, "cannot make the folder " + path + ": " + std::strerror(errno));
  path_ = path;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace park::dl_cluster_live
