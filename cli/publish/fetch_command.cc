#include <filesystem>

#include "cli/frame/commands.h"
#include "cli/publish/place.h"
#include "park/command/numbers.h"
#include "park/core/json_writer.h"
#include "park/exchange/new_folder.h"
#include "park/files/sha256.h"

namespace park::cli {
namespace {

namespace fs = std::filesystem;

class FetchObjectCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "fetch",
            .summary = "bring a checkpoint, suite or results that park publish has stored",
            .details =
                "Compares the size and SHA-256 of every file with the manifest, and the manifest "
                "with the hash. The folder of --out then appears whole; with anything wrong, "
                "nothing does. A fetched checkpoint is a policy by its folder, "
                "results.json is for park bench verify, suite.json for park bench.",
            .example = "park fetch load_balance-default --from shelf --out fetched"};
  }
  bool takes_plugins() const override { return false; }

  void declare(Options& options) override {
    options.text("OBJECT", "", object_, "the hash or the name of an object",
                 Options::Need::required);
    place_.declare(options, "--from", "the folder or git repository that has it");
    options.text("--out", "DIR", out_,
                 "the folder to make; without it the object's name in the current folder");
  }

  void prepare(Session&, Violations& wrong) override {
    place_.check("--from", wrong);
    check_out(wrong);
  }

  int run(Session& session) override {
    const exchange::Object found = place_.get(object_);
    if (out_.empty()) {
      out_ = found.manifest.name;
      Violations wrong;
      check_out(wrong);
      wrong.throw_if_any(Errc::invalid_config);
    }
    exchange::write_new_folder(out_, found.files);
    report(session, found.manifest);
    return kDone;
  }

 private:
  /// Never replaces what is there.
  void check_out(Violations& wrong) const {
    std::error_code none;
    if (!out_.empty() && fs::symlink_status(out_, none).type() != fs::file_type::not_found)
      wrong.add("--out: " + out_ + " exists");
  }

  void report(Session& session, const exchange::ObjectManifest& manifest) const {
    const std::string hash = files::sha256_text(exchange::manifest_text(manifest));
    if (!session.json()) {
      session.print(out_ + ": " + manifest.kind + ' ' + manifest.name + ", " +
                    plural(manifest.files.size(), "file") + " of " +
                    plural(manifest.bytes(), "byte") + ", SHA-256 " + hash + '\n');
      return;
    }
    JsonWriter json;
    json.begin_object().member("out", out_).member("hash", hash).member("kind", manifest.kind);
    json.member("name", manifest.name).member("park", manifest.park);
    json.member("files", manifest.files.size()).member("bytes", manifest.bytes());
    session.print(json.end_object().take());
  }

  std::string object_, out_;
  Place place_;
};

}  // namespace

void add_fetch_command(Commands& all) { all.add(83, std::make_unique<FetchObjectCommand>()); }

}  // namespace park::cli
