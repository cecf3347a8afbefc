#include "cli/frame/commands.h"
#include "cli/frame/version.h"
#include "cli/publish/place.h"
#include "park/command/numbers.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

class PublishCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "publish",
            .summary = "store a checkpoint, suite or results under their hash, for park fetch",
            .details =
                "PATH is a checkpoint or a run's folder, the file of a suite, or results of park "
                "bench. It is checked as its reader does, and stored with a manifest that has the "
                "SHA-256 of every file. The hash of the manifest is printed: whoever fetches by it "
                "gets these bytes or nothing. A name stands for the last object published by it.",
            .example = "park publish load_balance-default --to shelf"};
  }
  bool takes_plugins() const override { return false; }

  void declare(Options& options) override {
    options.text("PATH", "", path_, "a checkpoint, run, suite or results", Options::Need::required);
    place_.declare(options, "--to", "the folder or git repository that gets it");
    options.text("--name", "NAME", name_, "its name; without it that of the folder or the suite");
    options.flag("--overwrite", overwrite_, "the name may stand for another object so far");
  }

  void prepare(Session&, Violations& wrong) override {
    place_.check("--to", wrong);
    if (!wrong.empty()) return;
    object_ = exchange::read_object(path_, name_, build_info().version);
    if (object_.manifest.bytes() > place_.most_bytes())
      wrong.add("PATH: has " + std::to_string(object_.manifest.bytes()) +
                " bytes; --most-mib allows more");
  }

  int run(Session& session) override {
    const std::string hash = place_.put(object_, overwrite_);
    const exchange::ObjectManifest& manifest = object_.manifest;
    session.console().info("published " + manifest.kind + ' ' + manifest.name + ", " +
                           plural(manifest.files.size(), "file") + " of " +
                           plural(manifest.bytes(), "byte") + ", to " + place_.text());
    if (!session.json()) {
      session.print(hash + '\n');
      return kDone;
    }
    JsonWriter json;
    json.begin_object().member("hash", hash).member("kind", manifest.kind);
    json.member("name", manifest.name).member("files", manifest.files.size());
    json.member("bytes", manifest.bytes()).member("to", place_.text());
    session.print(json.end_object().take());
    return kDone;
  }

 private:
  std::string path_, name_;
  bool overwrite_ = false;
  Place place_;
  exchange::Object object_;
};

}  // namespace

void add_publish_command(Commands& all) { all.add(82, std::make_unique<PublishCommand>()); }

}  // namespace park::cli
