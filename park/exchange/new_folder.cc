#include "park/exchange/new_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "park/core/error.h"
#include "park/files/descriptor.h"

namespace park::exchange {

void write_new_folder(const std::filesystem::path& folder, const files::NamedBytes& all) {
  namespace fs = std::filesystem;
  const fs::path path = fs::absolute(folder / "").parent_path();  // also of "new/"
  const fs::path part = path.string() + ".part-" + std::to_string(getpid());
  const auto fail = [](const fs::path& where, std::error_code why) {
    throw Error(Errc::io, where.string() + ": " + why.message());
  };
  std::error_code error, none;
  fs::create_directories(path.parent_path(), error);
  if (error) fail(path.parent_path(), error);
  if (!fs::create_directory(part, error))
    fail(part, error ? error : std::make_error_code(std::errc::file_exists));
  try {
    for (const auto& [name, bytes] : all) files::write_durable(part / name, bytes);
    if (renameat2(AT_FDCWD, part.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0)
      fail(path, files::last_error());
    error = files::sync_folder(path.parent_path());
    if (error) fail(path.parent_path(), error);
  } catch (...) {
    fs::remove_all(part, none);
    throw;
  }
}

}  // namespace park::exchange
