// A store in a folder. Reading walks from the folder's descriptor, one name at a time, and refuses
// links. `get` takes the manifest first, whose hash must be the object's; then each file, whose size
// and hash the manifest gives. Only then is anything returned. `put` locks the folder, writes the
// object under a temporary name and renames it, and writes the name last.
#include "park/exchange/store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#include <optional>
#include <system_error>

#include "park/core/error.h"
#include "park/files/descriptor.h"
#include "park/files/sha256.h"
#include "park/files/shown.h"

namespace park::exchange {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostNameFile = 128;  // bytes of a file names/NAME

/// Descriptors that are opened relative to one another.
class Opened {
 public:
  explicit Opened(int file) noexcept : file_(file) {}
  ~Opened() {
    if (file_ >= 0) close(file_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  [[nodiscard]] int get() const noexcept { return file_; }
  void replace(int file) noexcept {
    if (file_ >= 0) close(file_);
    file_ = file;
  }

 private:
  int file_;
};

std::string text_of_path(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "/") + part;
  return text;
}

/// Reads exactly to the end, or one byte more than `most`.
std::string read_up_to(int file, std::uint64_t most, const std::string& where) {
  std::string text;
  for (;;) {
    char piece[1 << 16];
    const ssize_t n = read(file, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(Errc::io, where + ": " + files::last_error().message());
    if (n == 0) return text;
    text.append(piece, static_cast<std::size_t>(n));
    if (text.size() > most) return text;
  }
}

/// A regular file below the folder, reached without links; none where a part of its path is not
/// there. Throws Error{bad_file} for links, other things and files of more than `most` bytes.
std::optional<std::string> read_inside(const fs::path& folder,
                                       std::initializer_list<std::string> parts,
                                       std::uint64_t most) {
  const std::string where = (folder / text_of_path(parts)).string();
  Opened at(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.get() < 0) throw Error(Errc::io, folder.string() + ": " + files::last_error().message());
  std::size_t left = parts.size();
  for (const std::string& part : parts) {
    const int kind = --left > 0 ? O_DIRECTORY : O_NONBLOCK;
    at.replace(openat(at.get(), part.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind));
    if (at.get() >= 0) continue;
    if (errno == ENOENT) return std::nullopt;
    if (errno == ELOOP || errno == ENOTDIR)
      throw Error(Errc::bad_file, where + ": leads through a symbolic link or a file");
    throw Error(Errc::io, where + ": " + files::last_error().message());
  }
  struct stat about {};
  if (fstat(at.get(), &about) != 0 || !S_ISREG(about.st_mode))
    throw Error(Errc::bad_file, where + ": is no regular file");
  std::string text = read_up_to(at.get(), most, where);
  if (text.size() > most)
    throw Error(Errc::bad_file, where + ": has more than " + std::to_string(most) + " bytes");
  return text;
}

/// The bytes of a file must be those that the manifest tells of.
std::string read_listed(const fs::path& folder, const std::string& hash, const ObjectFile& file) {
  const std::string where = (folder / object_path(hash) / file.name).string();
  std::optional<std::string> bytes = read_inside(folder, {"objects", hash, file.name}, file.bytes);
  if (!bytes) throw Error(Errc::bad_file, where + ": is missing");
  if (bytes->size() != file.bytes)
    throw Error(Errc::bad_file, where + ": has " + std::to_string(bytes->size()) +
                                    " bytes, its manifest says " + std::to_string(file.bytes));
  const std::string found = files::sha256_text(*bytes);
  if (found != file.sha256)
    throw Error(Errc::bad_file, where + ": was changed: its SHA-256 is " + found +
                                    ", its manifest says " + file.sha256);
  return std::move(*bytes);
}

}  // namespace

std::string object_path(const std::string& hash) { return "objects/" + hash; }
std::string name_path(const std::string& name) { return "names/" + name; }

std::string FolderStore::resolve(const std::string& hash_or_name) const {
  if (is_hash(hash_or_name)) return hash_or_name;
  if (!is_name(hash_or_name))
    throw Error(Errc::unknown_name,
                '\'' + files::shown(hash_or_name) + "' is neither a hash nor a name of an object");
  std::optional<std::string> text = read_inside(folder_, {"names", hash_or_name}, kMostNameFile);
  if (!text) throw Error(Errc::unknown_name, folder_.string() + ": has no object " + hash_or_name);
  if (text->ends_with('\n')) text->pop_back();
  if (!is_hash(*text))
    throw Error(Errc::bad_file, (folder_ / name_path(hash_or_name)).string() + ": has no hash");
  return *text;
}

Object FolderStore::get(const std::string& hash_or_name, std::uint64_t most_bytes) const {
  const std::string hash = resolve(hash_or_name);
  const std::string where = (folder_ / object_path(hash) / kObjectFile).string();
  const std::optional<std::string> text =
      read_inside(folder_, {"objects", hash, kObjectFile}, kMostManifest);
  if (!text) throw Error(Errc::unknown_name, folder_.string() + ": has no object " + hash);
  const std::string found = files::sha256_text(*text);
  if (found != hash) throw Error(Errc::bad_file, where + ": was changed: its SHA-256 is " + found);
  Object object{.manifest = parse_manifest(*text, where), .files = {}};
  if (object.manifest.bytes() > most_bytes)
    throw Error(Errc::bad_file, where + ": the object has more than " + std::to_string(most_bytes) +
                                    " bytes; --most-mib allows more");
  for (const ObjectFile& file : object.manifest.files)
    object.files.emplace_back(file.name, read_listed(folder_, hash, file));
  return object;
}

std::string FolderStore::put(const Object& object, bool overwrite) {
  const std::string text = manifest_text(object.manifest);
  std::string hash = files::sha256_text(text);
  const std::string& name = object.manifest.name;
  fs::create_directories(folder_ / "objects");
  fs::create_directories(folder_ / "names");
  const files::FolderLock lock(folder_, "publishes to");
  const auto named = read_inside(folder_, {"names", name}, kMostNameFile);
  if (named && *named != hash + '\n' && !overwrite)
    throw Error(Errc::invalid_config, "--name: " + name + " stands for another object (" +
                                          named->substr(0, 12) + "...); --overwrite replaces it");
  if (read_inside(folder_, {"objects", hash, kObjectFile}, kMostManifest)) {
    static_cast<void>(get(hash, object.manifest.bytes()));
  } else {
    files::NamedBytes all = object.files;
    all.emplace_back(kObjectFile, text);
    files::write_durable_folder(folder_ / object_path(hash), all);
  }
  if (!named || *named != hash + '\n') files::write_durable(folder_ / name_path(name), hash + '\n');
  return hash;
}

}  // namespace park::exchange
