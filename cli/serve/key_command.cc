#include "bridge/codec/failure.h"
#include "bridge/transport/keys.h"
#include "cli/frame/commands.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

class KeyCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .name = "key",
        .summary = "make the keys of a server or client that other machines reach",
        .details =
            "Writes a pair of keys to a file that only its owner can read, and prints the public "
            "one. A server gets the file by --key and the public keys of its clients by --allow; "
            "a client gets its file by remote(key=FILE) and the server's public key by its "
            "endpoint file or remote(server_key=...).",
        .example = "park key --out client.key >> allowed.keys"};
  }

  bool takes_plugins() const override { return false; }
  void declare(Options& options) override {
    options.text("--out", "FILE", file_, "a file that is not there yet");
  }

  void prepare(Session&, Violations& wrong) override {
    if (file_.empty()) wrong.add("--out: is required");
    if (!wrong.empty()) return;
    try {
      keys_ = bridge::new_key_pair();
      bridge::write_key_file(file_, keys_);
    } catch (const bridge::Failed& failed) {
      wrong.add(std::string("--out: ") + failed.what());
    }
  }

  int run(Session& session) override {
    JsonWriter json;
    json.begin_object().member("public", keys_.public_key);
    session.print(session.json() ? json.end_object().take() : keys_.public_key + "\n");
    return kDone;
  }

 private:
  std::string file_;
  bridge::KeyPair keys_;
};

}  // namespace

void add_key_command(Commands& all) { all.add(80, std::make_unique<KeyCommand>()); }

}  // namespace park::cli
