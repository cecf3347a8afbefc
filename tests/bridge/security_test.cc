// Who gets in: keys, tokens, files and endpoints. Whoever does not is told why.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "bridge/client/remote_stream.h"
#include "bridge/codec/failure.h"
#include "bridge/transport/endpoint_file.h"
#include "bridge/transport/keys.h"
#include "bridge/transport/secret_file.h"
#include "park/envs/envs.h"
#include "tests/bridge/serving.h"

namespace park::bridge {
namespace security_test {

namespace fs = std::filesystem;

class SecurityTest : public ::testing::Test {
 protected:
  SecurityTest() {
    envs::register_all(registry_);
    registry_.add_stream<RemoteEnv>();
    char name[] = "/tmp/park-security-XXXXXX";
    folder_ = mkdtemp(name);
    write_key_file(file("client.key"), client_);
    write_key_file(file("stranger.key"), new_key_pair());
  }
  ~SecurityTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }

  /// A server with keys, for the client alone.
  [[nodiscard]] test::OnThread<Server> closed(const std::string& endpoint = "tcp://127.0.0.1:*") {
    return test::OnThread<Server>(
        ServerOptions{
            .endpoint = endpoint, .limits = {}, .keys = server_, .allowed = {client_.public_key}},
        [this] {
          return std::make_unique<StreamService>(registry_, StreamServiceOptions{"load_balance"});
        });
  }

  /// Opens the environment behind an endpoint; what was wrong, empty where nothing.
  std::string open(const std::string& endpoint, const std::string& more = "") {
    const auto begin = std::chrono::steady_clock::now();
    std::string text;
    try {
      static_cast<void>(
          registry_.spec("remote(timeout_s=3,endpoint=\"" + endpoint + "\"" + more + ")"));
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    return text;
  }
  [[nodiscard]] std::string keys(const std::string& name, const std::string& server) const {
    return ",key=\"" + file(name) + "\",server_key=\"" + server + "\"";
  }

  const KeyPair server_ = new_key_pair(), client_ = new_key_pair();
  Registry registry_;
  fs::path folder_;
};

TEST_F(SecurityTest, AKnownKeyGetsIn) {
  const auto server = closed();
  EXPECT_EQ(open(server.endpoint(), keys("client.key", server_.public_key)), "");
}

TEST_F(SecurityTest, WhoDoesNotGetInIsToldWhy) {
  const auto server = closed();
  const test::Serving plain(registry_, "tcp://127.0.0.1:*", "load_balance");
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(open(server.endpoint(), keys("stranger.key", server_.public_key)), "server's list");
  says(open(server.endpoint(), keys("client.key", new_key_pair().public_key)),
       "is the server_key right?");
  says(open(server.endpoint()), "one side encrypts");
  says(open(plain.endpoint(), keys("client.key", server_.public_key)), "one side encrypts");
  says(open(server.endpoint(), ",server_key=\"" + server_.public_key + "\""), "key: the server");
  says(open(server.endpoint(), keys("client.key", "short")), "server_key: is no public key");
  says(open(server.endpoint(), keys("nowhere.key", server_.public_key)), "cannot be read");
}

TEST_F(SecurityTest, KeysAreAddedAndRevokedWhileItServes) {
  auto server = closed();
  const KeyPair stranger = read_key_file(file("stranger.key"));
  const std::string as_client = keys("client.key", server_.public_key),
                    as_stranger = keys("stranger.key", server_.public_key);
  const RandomEpisodes episodes(Rng(3), {.count = 1});
  const auto stream = registry_.stream(
      "remote(timeout_s=3,endpoint=\"" + server.endpoint() + "\"" + as_client + ")", episodes);
  Batch actions(stream->spec().action);
  actions.resize(stream->recv().asked.size());
  EXPECT_NE(open(server.endpoint(), as_stranger), "");

  server.server().allow({client_.public_key, stranger.public_key});
  EXPECT_EQ(open(server.endpoint(), as_stranger), "");
  stream->send(actions);
  EXPECT_EQ(stream->recv().asked.size(), 1u) << "the other one goes on";

  server.server().allow({stranger.public_key});
  stream->send(actions);
  EXPECT_THROW(static_cast<void>(stream->recv()), Error);
  EXPECT_NE(open(server.endpoint(), as_client).find("server's list"), std::string::npos);
  EXPECT_EQ(open(server.endpoint(), as_stranger), "");
}

TEST_F(SecurityTest, OtherMachinesNeedKeys) {
  EXPECT_NO_THROW(static_cast<void>(closed("tcp://0.0.0.0:*")));
  EXPECT_THROW(test::Serving(registry_, "tcp://0.0.0.0:*", "load_balance"), Failed);
}

TEST_F(SecurityTest, KeysAndTheirListComeTogether) {
  const auto refused = [](const ServerOptions& options) {
    try {
      const Server server(options, {});
    } catch (const Failed& failed) {
      return std::string(failed.what()).find("keys, allowed: ") == 0;
    }
    return false;
  };
  for (const std::string endpoint : {"tcp://127.0.0.1:*", "tcp://0.0.0.0:*"}) {
    EXPECT_TRUE(refused({.endpoint = endpoint, .limits = {}, .keys = server_}));
    EXPECT_TRUE(refused({.endpoint = endpoint, .limits = {}, .allowed = {client_.public_key}}));
  }
}

TEST_F(SecurityTest, AnEndpointFileIsAnEndpoint) {
  const test::Serving serving(registry_, "tcp://127.0.0.1:*", "load_balance",
                              {.token = Bytes(16, std::byte{0xa7})});
  std::string token;
  for (int i = 0; i < 16; ++i) token += "a7";
  const EndpointFile good{serving.endpoint(), "", token};
  write_endpoint_file(file("good"), good);
  EXPECT_EQ(read_endpoint_file(file("good")), good);
  EXPECT_EQ(open(file("good")), "");
  write_endpoint_file(file("bad"), {serving.endpoint(), "", "a7"});
  EXPECT_NE(open(file("bad")).find("token: is not the one"), std::string::npos);
  EXPECT_NE(open(serving.endpoint()).find("token: is not the one"), std::string::npos);
  for (const std::string wrong : {"zz", "a7a", "a7 7", "0x", "-1"}) {
    const std::string path = file("no_token_" + wrong);
    write_endpoint_file(path, {serving.endpoint(), "", wrong});
    EXPECT_NE(open(path).find(path + ": token: has to be"), std::string::npos) << wrong;
  }
  EXPECT_NE(open(file("nowhere")).find("is none; allowed are"), std::string::npos);

  const auto server = closed();
  write_endpoint_file(file("closed"), {server.endpoint(), server_.public_key, ""});
  EXPECT_EQ(open(file("closed"), ",key=\"" + file("client.key") + "\""), "");
}

TEST_F(SecurityTest, AnEndpointFileGoesWithItsServerUnlessANewerOneHasWrittenIt) {
  const std::string path = file("own");
  const EndpointFile older{"tcp://127.0.0.1:1", "", ""}, newer{"tcp://127.0.0.1:2", "", ""};
  {
    const OwnEndpointFile own(path, newer);
    EXPECT_EQ(read_endpoint_file(path), newer);
    { const OwnEndpointFile none("", older); }
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    const OwnEndpointFile own(path, older);
    write_endpoint_file(path, newer);
  }
  EXPECT_EQ(read_endpoint_file(path), newer);
  {
    const OwnEndpointFile own(path, older);
    std::filesystem::remove(path);  // by a person
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(SecurityTest, SecretsAreForTheirOwnerAlone) {
  struct stat info {};
  ASSERT_EQ(stat(file("client.key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  EXPECT_EQ(read_key_file(file("client.key")), client_);
  EXPECT_THROW(write_key_file(file("client.key"), server_), Failed);  // is there already
  chmod(file("client.key").c_str(), 0644);
  try {
    static_cast<void>(read_key_file(file("client.key")));
    ADD_FAILURE();
  } catch (const Failed& failed) {
    EXPECT_NE(std::string(failed.what()).find("0600"), std::string::npos);
  }
}

TEST_F(SecurityTest, AListOfKeysHasOneOnEachLine) {
  const auto read = [&](const std::string& text) {
    std::ofstream(file("list")) << text;
    return read_allowed_keys(file("list"));
  };
  const std::string a = client_.public_key, b = server_.public_key;
  EXPECT_EQ(read("# who may\n" + a + "  # the lab\n\n" + b), (std::vector<std::string>{a, b}));
  EXPECT_EQ(read("#" + a.substr(1) + "\n"), std::vector<std::string>{"#" + a.substr(1)});
  EXPECT_THROW(read("nonsense\n"), Failed);
  EXPECT_THROW(read("# nobody\n"), Failed);
}

}  // namespace security_test
}  // namespace park::bridge
