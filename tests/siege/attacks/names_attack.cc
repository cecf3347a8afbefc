// Texts of clients that name files, folders and machines of the server. A server that allows no
// data of its own answers for what is there and what is not in the same words, and connects to
// nobody.
#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"
#include "park/core/error.h"
#include "tests/siege/attack.h"

namespace park::siege {
namespace {

/// What the server says to a text: code and text of its failure.
std::string answer_to(Siege& siege, const std::string& text) {
  Talker talker(siege.target.endpoint);
  talker.open(siege.rng);
  const auto reply = talker.call([&](Envelope::Builder e) { e.initOpenStream().setEnv(text); });
  siege.judge(talker);
  siege.did();
  if (!reply.isFailure()) return "opened";
  return std::to_string(static_cast<int>(reply.getFailure().getCode())) + ' ' +
         bridge::text_of(reply.getFailure().getText());
}

/// The text with every path in it left out.
std::string without(std::string text, const std::string& path) {
  for (auto at = text.find(path); at != std::string::npos; at = text.find(path))
    text.erase(at, path.size());
  return text;
}

/// Texts of an environment whose field may be a path, with this path in it.
std::vector<std::string> naming(const std::string& path) {
  std::vector<std::string> all;
  for (const std::string& name : registry().env_names())
    for (const FieldInfo& field : registry().env_fields(name))
      all.push_back(name + "(" + field.name + "=\"" + path + "\")");
  return all;
}

void name_files(Siege& siege) {
  const Folder folder;
  const std::string missing = folder.file("missing"), there = folder.file("present");
  write_text(there, "secret\n");
  const auto of_missing = naming(missing), of_there = naming(there), of_folder = naming("/etc");
  for (std::size_t i = 0; i < of_missing.size(); ++i) {
    const std::string first = without(answer_to(siege, of_missing[i]), missing);
    const std::string second = without(answer_to(siege, of_there[i]), there);
    if (first != second)
      siege.broke("whether a path exists is told: " + one_line(of_there[i]) + ": " +
                  one_line(second) + " / " + one_line(first));
    if (answer_to(siege, of_folder[i]).find("passwd") != std::string::npos)
      siege.broke("names of files are told: " + one_line(of_folder[i]));
  }
}

void name_machines(Siege& siege) {
  Listener listener("tcp://127.0.0.1:*");
  const Folder folder;
  Listener local("ipc://" + folder.file("socket"));
  for (const std::string& endpoint : {listener.endpoint(), local.endpoint()}) {
    Talker talker(siege.target.endpoint);
    talker.open(siege.rng);
    const std::string text = "remote(endpoint=\"" + endpoint + "\",timeout_s=1)";
    static_cast<void>(talker.send([&](Envelope::Builder e) { e.initOpenStream().setEnv(text); }));
    Listener& there = endpoint == listener.endpoint() ? listener : local;
    if (there.accept(Clock::now() + std::chrono::seconds(2)))
      siege.broke("the server connects to " + one_line(endpoint));
    siege.did();
  }
  const std::string own = siege.target.endpoint;
  answer_to(siege, "remote(endpoint=\"" + own + "\",timeout_s=1,env=\"load_balance\")");
}

}  // namespace

void add_names_attack(Attacks& all) {
  using enum Attack::On;
  all.push_back({.name = "paths",
                 .about = "texts that name files and folders of the server",
                 .on = environments,
                 .run = name_files});
  all.push_back({.name = "machines",
                 .about = "texts that name endpoints, the server's own too",
                 .on = environments,
                 .run = name_machines});
}

}  // namespace park::siege
