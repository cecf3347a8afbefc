#include "bridge/transport/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "bridge/codec/failure.h"
#include "park/core/json_cursor.h"

namespace park::bridge {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20;

Failed failed(const std::string& path, const std::string& what) {
  return {Code::INVALID_CONFIG, path + ": " + what + ": " + std::strerror(errno)};
}

/// Closes a file when it goes.
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

}  // namespace

void write_secret_file(const std::string& path, std::string_view text) {
  const std::string part = path + "." + std::to_string(getpid()) + ".part";
  {
    const File file(open(part.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file.fd() < 0 ||
        write(file.fd(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        fsync(file.fd()) != 0)
      throw failed(path, "cannot be written");
  }
  if (rename(part.c_str(), path.c_str()) != 0) throw failed(path, "cannot be written");
}

std::string read_small_file(const std::string& path, bool secret) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (file.fd() < 0 || fstat(file.fd(), &info) != 0) throw failed(path, "cannot be read");
  if (secret && (info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    throw Failed(Code::NOT_ALLOWED, path + ": others can read it; its mode has to be 0600");
  std::string text;
  std::array<char, 4096> some{};
  for (ssize_t n = 0; (n = read(file.fd(), some.data(), some.size())) != 0;) {
    if (n < 0) throw failed(path, "cannot be read");
    text.append(some.data(), static_cast<std::size_t>(n));
    if (text.size() > kLargest) throw Failed(Code::INVALID_CONFIG, path + ": is larger than 1 MiB");
  }
  return text;
}

void write_secret_document(const std::string& path, std::string_view schema,
                           const std::function<void(JsonWriter&)>& add) {
  JsonWriter json;
  json.begin_object().member("schema", schema).member("version", 1);
  add(json);
  write_secret_file(path, json.end_object().take() + '\n');
}

std::map<std::string, std::string> read_secret_document(const std::string& path,
                                                        std::string_view schema) {
  const std::string text = read_small_file(path, true);
  std::map<std::string, std::string> texts;
  std::uint64_t version = 0;
  try {
    JsonCursor json(text);
    std::string_view key;
    json.enter_object();
    while (json.next_key(key)) {
      if (key == "version")
        version = json.natural();
      else if (json.is('"'))
        json.text(texts[std::string(key)]);
      else
        json.skip();
    }
  } catch (const JsonError& error) {
    throw Failed(Code::INVALID_CONFIG,
                 path + ": is no " + std::string(schema) + " file: " + error.what());
  }
  if (texts["schema"] != schema || version != 1)
    throw Failed(Code::INVALID_CONFIG,
                 path + ": is no " + std::string(schema) + " file of version 1");
  return texts;
}

}  // namespace park::bridge
