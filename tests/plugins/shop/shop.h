// What the plug-in of these tests offers, and what a registry in the tree has of it: the same
// classes.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/command/data_kinds.h"
#include "park/command/import_action.h"
#include "park/core/as_system.h"
#include "park/core/policy.h"
#include "tests/kit/toy_shop.h"

namespace park::test {

/// Serves by chance, or always in the first legal way. Understands every spec.
class Keen final : public RowPolicy {
 public:
  struct Config {
    bool first = false;
    bool operator==(const Config&) const = default;
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
      visit("first", self.first, FieldDoc{.doc = "takes the first legal value of each head"});
    }
  };
  static PolicyInfo info() {
    return {.name = "keen", .summary = "legal in one way or another", .reference = "a test"};
  }
  Keen(const Config& c, const Spec& spec) : config_(c), space_(spec), heads_(spec) {}

  void start(std::uint32_t slot, const Episode&, Rng rng) override {
    if (slot >= rngs_.size()) rngs_.resize(slot + 1);
    rngs_[slot] = rng;
  }
  /// Higher values are likelier.
  [[nodiscard]] bool scores(const Batch& observation, std::size_t head, const Batch& actions,
                            Candidates& candidates, std::vector<float>& scores) override {
    if (heads_[head].kind == HeadKind::continuous) return false;
    heads_.candidates(head, observation, actions, candidates);
    scores.clear();
    for (const std::int32_t value : candidates.value) scores.push_back(static_cast<float>(value));
    return true;
  }
  [[nodiscard]] std::uint32_t most_slots() const noexcept override {
    return config_.first ? 7 : 99;
  }

 private:
  void choose(const Ask& ask, ConstRow observation, Row action) override {
    if (const auto stuck = space_.stuck_head(observation))
      throw Error(Errc::illegal_action, "nothing is legal for head " + std::to_string(*stuck));
    Rng draw = config_.first ? Rng(1) : rngs_.at(ask.slot).split(ask.sequence);
    space_.sample(observation, action, draw);
  }

  Config config_;
  ActionSpace space_;
  Heads heads_;
  std::vector<Rng> rngs_;
};

/// The shop as a running system.
class ShopLive final : public SystemEnv {
 public:
  static constexpr std::string_view kName = "toy_shop_live";
  using Config = ToyShopConfig;
  static Spec spec(const Config& c) {
    Spec s = ToyShop::spec(c);
    s.name = kName;
    s.traits = {.system = true, .replayable = false};
    return s;
  }
  explicit ShopLive(const Config& c) : played_(spec(c), std::make_unique<ToyShop>(c)) {}
  void run(Episodes& episodes, Decider& decider, std::stop_token stop) override {
    played_.run(episodes, decider, std::move(stop));
  }

 private:
  AsSystem played_;
};

/// Lines with a digit in front are kept, `times` times each.
class ImportDigits final : public command::ImportAction {
 public:
  struct Config {
    std::int32_t times = 1;
    bool operator==(const Config&) const = default;
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
      visit("times", self.times, FieldDoc{.doc = "copies of a line", .min = 1, .max = 9});
    }
  };
  static command::DataKind kind() {
    return {.name = "digits",
            .summary = "lines of digits",
            .environment = "toy_shop",
            .example = "import a.txt --out b.txt",
            .actions = {}};
  }
  ImportDigits()
      : ImportAction({.name = "import",
                      .summary = "lines that begin with a digit",
                      .example = "a.txt --out b.txt"},
                     field_infos<Config>()) {}

 private:
  void read(const command::FieldOptions& given, Violations& wrong) override {
    given.read(config_, wrong);
  }
  void convert(std::vector<files::RecordedFile> recorded, const Append& append) override {
    for (files::RecordedFile& file : recorded) convert(file, append);
  }
  void convert(files::RecordedFile& file, const Append& append) {
    std::string text(4096, '\0');
    text.resize(file.source->read(text));
    std::uint64_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      ++rows_.rows;
      ++number;
      at = end + 1;
      if (line.empty() || line[0] < '0' || line[0] > '9') {
        rows_.add_broken(file.name, number, "no digit");
        continue;
      }
      ++kept_;
      for (std::int32_t i = 0; i < config_.times; ++i) append(line + '\n');
    }
  }
  [[nodiscard]] const files::RowCount& rows() const override { return rows_; }
  void write_made(JsonWriter& json) const override {
    json.member("kept", kept_).key("of").begin_array().value("digits").end_array();
  }
  [[nodiscard]] std::string made() const override { return std::to_string(kept_) + " lines\n"; }

  Config config_;
  files::RowCount rows_;
  std::uint64_t kept_ = 0;
};

}  // namespace park::test
