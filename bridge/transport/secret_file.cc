#include "bridge/transport/secret_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "bridge/codec/failure.h"
#include "park/files/json_cursor.h"
#include "park/files/new_file.h"
#include "park/files/read.h"

namespace park::bridge {
namespace {

using files::JsonCursor;
using files::JsonError;

constexpr std::size_t kLargest = std::size_t{1} << 20;

Failed failed(const std::string& path, const std::string& what, std::error_code why) {
  return {Code::INVALID_CONFIG, path + ": " + what + ": " + why.message()};
}

}  // namespace

void write_secret_file(const std::string& path, std::string_view text) {
  const files::WriteOptions secret{.synced = true, .mode = S_IRUSR | S_IWUSR};
  if (const std::error_code error = files::try_write_file(path, text, secret))
    throw failed(path, "cannot be written", error);
}

std::string read_small_file(const std::string& path, bool secret) {
  constexpr auto kOthers = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
  std::error_code error;
  const auto mode = std::filesystem::status(path, error).permissions();
  if (!error && secret && (mode & kOthers) != std::filesystem::perms::none)
    throw Failed(Code::NOT_ALLOWED, path + ": others can read it; its mode has to be 0600");
  std::string text = files::read_file(path, error, kLargest);
  if (error == std::errc::file_too_large)
    throw Failed(Code::INVALID_CONFIG, path + ": is larger than 1 MiB");
  if (error) throw failed(path, "cannot be read", error);
  return text;
}

std::string write_secret_document(const std::string& path, std::string_view schema,
                                  const std::function<void(JsonWriter&)>& add) {
  JsonWriter json;
  json.begin_object().member("schema", schema).member("version", 1);
  add(json);
  std::string text = json.end_object().take() + '\n';
  write_secret_file(path, text);
  return text;
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
