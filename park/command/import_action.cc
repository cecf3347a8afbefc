#include "park/command/import_action.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "park/command/numbers.h"
#include "park/command/output.h"
#include "park/files/unpack.h"

namespace park::command {

ImportAction::ImportAction(ActionInfo info, const std::vector<FieldInfo>& fields)
    : info_(std::move(info)), fields_(fields) {}

void ImportAction::declare(Options& options) {
  options.texts("FILE", files_, "what was recorded, plain or packed with zstd, lz4 or gzip",
                Options::Need::required);
  out_.declare(options);
  fields_.declare(options);
}

void ImportAction::check(Violations& wrong) {
  out_.check_file(wrong);
  read(fields_, wrong);
}

void ImportAction::make(ReadProgress&) {
  std::vector<files::RecordedFile> recorded;
  for (const std::string& path : files_)
    recorded.push_back({std::filesystem::path(path).filename().string(),
                        files::plain_text(files::file_source(path), path)});
  file_.emplace(out_.path(), files::WriteOptions{.synced = true});
  convert(std::move(recorded), [&](std::string_view bytes) { file_->append(bytes); });
}

void ImportAction::write() {
  if (const std::error_code error = file_->commit())
    throw Failure(out_.path() + ": " + error.message());
}

void ImportAction::write_json(JsonWriter& json) const {
  json.member("out", out_.path());
  write_made(json);
  json.member("rows", rows().rows).member("broken", rows().broken);
  json.key("first_broken").begin_array();
  for (const std::string& line : rows().first_broken) json.value(line);
  json.end_array();
}

std::string ImportAction::text(std::size_t) const {
  std::string text = "wrote " + out_.path() + ": " + made();
  if (rows().broken > 0)
    text += "left out: " + plural(rows().broken, "broken row") + " of " +
            std::to_string(rows().rows) + '\n';
  for (const std::string& line : rows().first_broken) text += "  " + line + '\n';
  return text;
}

}  // namespace park::command
