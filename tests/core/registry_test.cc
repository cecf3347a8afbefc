// Registries: environments and policies by text, what they say of themselves, and wrong names.
#include "park/core/registry.h"

#include <gtest/gtest.h>

#include "tests/core/counter_env.h"

namespace park {
namespace registry_test {

using test::counter_registry;
using Names = std::vector<std::string>;

template <class F>
std::string error_of(Errc code, F&& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  return "";
}

/// The sum of the metric "steps" of a whole run.
double play_all(Stream& stream, Policy& policy, std::size_t& episodes) {
  const std::size_t metric = stream.spec().metric("steps");
  double steps = 0;
  play(stream, policy, Rng(1), [&](const Decisions& d, const Batch&) {
    for (std::size_t i = 0; i < d.ended.size(); ++i, ++episodes) steps += d.metrics_of(i)[metric];
  });
  return steps;
}

TEST(Registry, ListsWhatIsThere) {
  const Registry r = counter_registry();
  EXPECT_EQ(r.env_names(), (Names{"counter", "counter_twin"}));
  EXPECT_EQ(r.policy_names(), (Names{"constant", "random"}));
  EXPECT_EQ(r.spec("counter(most=5)").action.leaves[0].high, 5);
  EXPECT_EQ(r.spec("counter").version, 4);
  EXPECT_TRUE(r.env("counter_twin").traits().system);
  EXPECT_TRUE(r.data_files("counter").empty());
  EXPECT_EQ(r.env_fields("counter")[1].tune, "1|2");
  EXPECT_EQ(r.policy_fields("constant")[0].name, "amount");
  EXPECT_TRUE(r.policy_fields("random").empty());
  EXPECT_EQ(r.policy_info("constant").summary, "same step");
}

TEST(Registry, IsAValue) {
  Registry a = counter_registry();
  const Registry b = a;
  a = Registry();
  EXPECT_TRUE(a.env_names().empty());
  EXPECT_EQ(b.spec("counter").name, "counter");
}

TEST(Registry, CanonicalTexts) {
  const Registry r = counter_registry();
  EXPECT_EQ(r.canonical_env("counter(most=3,goal=07)"), "counter(goal=7)");
  EXPECT_EQ(r.canonical_env("counter()"), "counter");
  EXPECT_EQ(r.spec("counter(most=3,goal=07)").text, "counter(goal=7)");
  EXPECT_EQ(r.canonical_policy("constant(amount=2)"), "constant");
  EXPECT_EQ(r.canonical_policy("constant(amount=3)"), "constant(amount=3)");
  EXPECT_EQ(r.canonical_policy("random"), "random");
}

TEST(Registry, AnEnvironmentOfATextAnswersAll) {
  const Registry r = counter_registry();
  const EnvOfText env = r.env("counter(most=3,goal=07)");
  EXPECT_EQ(env.name(), "counter");
  EXPECT_EQ(env.text(), "counter(goal=7)");
  EXPECT_EQ(env.spec().text, "counter(goal=7)");
  EXPECT_TRUE(env.simulated());
  EXPECT_NE(env.factory()(), nullptr);
  EXPECT_TRUE(env.data_files().empty());
  EXPECT_FALSE(r.env("counter_twin").simulated());
  const RandomEpisodes source(Rng(7), {.count = 2});
  const auto policy = r.policy("random", env.spec());
  std::size_t episodes = 0;
  EXPECT_EQ(play_all(*env.stream(source), *policy, episodes),
            play_all(*r.stream("counter(goal=7)", source), *policy, episodes));
  EXPECT_EQ(episodes, 4u);
}

TEST(Registry, MeanHorizon) {
  const Registry r = counter_registry();
  EXPECT_EQ(r.mean_horizon_s("counter"), kInf);
  EXPECT_EQ(r.mean_horizon_s("counter(horizon_s=12.5)"), 12.5);
}

TEST(Registry, OpensPoolsAndLiveStreams) {
  const Registry r = counter_registry();
  const RandomEpisodes source(Rng(3), {.count = 12});
  StreamOptions two;
  two.slots = 2;
  for (const char* env : {"counter(goal=20)", "counter_twin(goal=20)"}) {
    const auto stream = r.stream(env, source, two);
    const auto policy = r.policy("constant(amount=3)", stream->spec());
    std::size_t episodes = 0;
    EXPECT_EQ(play_all(*stream, *policy, episodes), 12 * 7) << env;
    EXPECT_EQ(episodes, 12u) << env;
  }
}

TEST(Registry, RunningSystemsReportNoEvents) {
  struct Sink final : EventSink {
    void begin(const Episode&) override {}
    void span(std::string_view, double, double, std::string_view,
              std::span<const EventArg>) override {}
    void point(std::string_view, double, std::string_view, std::span<const EventArg>) override {}
    void lane(std::string_view) override {}
    void job(std::uint64_t, std::string_view, std::span<const EventStage>) override {}
    void value(std::string_view, std::string_view, double, double) override {}
  } sink;
  const RandomEpisodes source(Rng(3), {.count = 1});
  StreamOptions options;
  options.events = &sink;
  const Registry r = counter_registry();
  EXPECT_NE(r.stream("counter", source, options), nullptr);
  EXPECT_NE(error_of(Errc::unavailable,
                     [&] { static_cast<void>(r.stream("counter_twin", source, options)); }),
            "");
}

TEST(Registry, MakesSingleEnvironments) {
  const Registry r = counter_registry();
  EXPECT_NE(r.env_factory("counter")(), nullptr);
  EXPECT_EQ(error_of(Errc::unavailable, [&] { static_cast<void>(r.env_factory("counter_twin")); }),
            "'counter_twin' is not simulated here");
}

TEST(Registry, EnvironmentsWithoutFields) {
  Registry r;
  Spec spec = test::CounterEnv::spec({.goal = 4});
  spec.name = "made_here";
  r.add_env(spec,
            [] { return std::make_unique<test::CounterEnv>(test::CounterEnv::Config{.goal = 4}); });
  const RandomEpisodes source(Rng(3), {.count = 2});
  const auto stream = r.stream("made_here", source);
  const auto policy =
      std::make_unique<test::Constant>(test::Constant::Config{.amount = 2}, stream->spec());
  std::size_t episodes = 0;
  EXPECT_EQ(play_all(*stream, *policy, episodes), 4);
  EXPECT_EQ(r.canonical_env("made_here"), "made_here");
  EXPECT_EQ(error_of(Errc::invalid_config, [&] { static_cast<void>(r.spec("made_here(x=1)")); }),
            "unknown field 'x'; there are no fields");
  spec.action.leaves.clear();
  spec.name = "wrong";
  error_of(Errc::invalid_space, [&] { r.add_env(spec, {}); });
}

OutsideEnv outside_counter() {
  OutsideEnv env{.name = "outside", .fields = field_infos<test::CounterEnv::Config>()};
  env.spec = [](const Value& text) {
    Spec spec = test::CounterEnv::spec(parse_config<test::CounterEnv::Config>(text));
    spec.name = "outside";
    return spec;
  };
  env.make_env = [](const Value& text) {
    return std::make_unique<test::CounterEnv>(parse_config<test::CounterEnv::Config>(text));
  };
  return env;
}

TEST(Registry, EntriesFromOutside) {
  Registry r = counter_registry();
  r.add_env(outside_counter());
  std::vector<FieldInfo> amount = r.policy_fields("constant");
  r.add_policy({.name = "given"}, amount, [](const Value& text, const Spec& spec) {
    return std::make_unique<test::Constant>(parse_config<test::Constant::Config>(text), spec);
  });
  const RandomEpisodes source(Rng(3), {.count = 2});
  double steps = 0, same = 0;
  std::size_t episodes = 0;
  for (const auto& [env, policy, total] :
       {std::tuple{"outside(goal=9)", "given(amount=2)", &steps},
        std::tuple{"counter(goal=9)", "constant(amount=2)", &same}}) {
    const auto stream = r.stream(env, source);
    *total = play_all(*stream, *r.policy(policy, stream->spec()), episodes);
  }
  EXPECT_EQ(steps, same);
  EXPECT_EQ(r.canonical_env("outside(most=3,goal=07)"), r.canonical_env("outside(goal=7,most=3)"));
  EXPECT_EQ(r.canonical_policy("given(amount=01)"), r.canonical_policy("given(amount=1)"));
  EXPECT_EQ(r.env("outside(horizon_s=5)").mean_horizon_s(), 5);
  EXPECT_EQ(r.env("outside").mean_horizon_s(), r.env("counter").mean_horizon_s());
  EXPECT_EQ(error_of(Errc::invalid_config, [&] { static_cast<void>(r.spec("outside(goal=0)")); }),
            "goal = 0 is outside [1, 1000]");
  error_of(Errc::invalid_config, [&] { r.add_env(outside_counter()); });
}

TEST(Registry, ErrorsNameTheNearest) {
  const Registry r = counter_registry();
  EXPECT_EQ(error_of(Errc::unknown_name, [&] { static_cast<void>(r.spec("countr(x=1)")); }),
            "no environment 'countr'; did you mean 'counter'?");
  EXPECT_EQ(error_of(Errc::unknown_name, [&] { static_cast<void>(r.spec("abcdefghijkl")); }),
            "no environment 'abcdefghijkl'; there are counter, counter_twin");
  EXPECT_EQ(error_of(Errc::unknown_name, [&] { static_cast<void>(r.canonical_policy("rndom")); }),
            "no policy 'rndom'; did you mean 'random'?");
  EXPECT_EQ(
      error_of(Errc::invalid_config, [&] { static_cast<void>(r.spec("counter(goal=0,x=1)")); }),
      "goal = 0 is outside [1, 1000]\n"
      "unknown field 'x'; the fields are goal, most, horizon_s, drift");
  EXPECT_EQ(
      error_of(Errc::invalid_config, [&] { static_cast<void>(r.canonical_policy("random(a=1)")); }),
      "unknown field 'a'; there are no fields");
  error_of(Errc::syntax, [&] { static_cast<void>(r.spec("counter(")); });
  EXPECT_NE(error_of(Errc::syntax, [&] { static_cast<void>(r.spec("[counter]")); }), "");
}

TEST(Registry, NamesAreUnique) {
  Registry r = counter_registry();
  EXPECT_EQ(error_of(Errc::invalid_config, [&] { r.add_env<test::CounterEnv>(); }),
            "'counter' is registered twice");
  EXPECT_EQ(error_of(Errc::invalid_config, [&] { r.add_policy<test::Constant>(); }),
            "'constant' is registered twice");
}

TEST(Registry, PoliciesFitTheirEnvironmentAndItsTwin) {
  const Registry r = counter_registry();
  Spec other = r.spec("counter");
  other.name = "other";
  other.traits.twin.clear();
  EXPECT_EQ(r.policies_for(r.spec("counter")), (Names{"constant", "random"}));
  EXPECT_EQ(r.policies_for(r.spec("counter_twin")), (Names{"constant", "random"}));
  EXPECT_EQ(r.policies_for(other), Names{"random"});
  EXPECT_EQ(error_of(Errc::invalid_config, [&] { static_cast<void>(r.policy("constant", other)); }),
            "policy 'constant' does not understand 'other'; it is for counter");
}

TEST(Registry, LoadersTakeTextsThatNameNoPolicy) {
  Registry r = counter_registry();
  r.add_policy_loader({.takes = [](const std::string& name) { return name.starts_with("data/"); },
                       .fields = &field_infos<test::Constant::Config>,
                       .make = [](const Value&, const Spec& spec) -> std::unique_ptr<Policy> {
                         return std::make_unique<test::Constant>(
                             test::Constant::Config{.amount = 1}, spec);
                       }});
  const Spec spec = r.spec("counter");
  EXPECT_NE(r.policy("data/x(sample=true)", spec), nullptr);
  EXPECT_NE(r.policy("constant", spec), nullptr);
  EXPECT_EQ(r.canonical_policy("data/x(sample=true)"), "data/x(sample=true)");
  EXPECT_EQ(r.canonical_policy("constant(amount=2)"), "constant");
  EXPECT_EQ(r.policy_fields("data/x").at(0).name, "amount");
  for (const auto& call : {std::function<void()>([&] { (void)r.policy("constnt", spec); }),
                           std::function<void()>([&] { (void)r.canonical_policy("constnt"); })})
    EXPECT_EQ(error_of(Errc::unknown_name, call), "no policy 'constnt'; did you mean 'constant'?");
}

/// Another environment behind a stream of its own.
struct Behind {
  static constexpr std::string_view kName = "behind";
  struct Config {
    Value env = parse_text("counter");
    bool operator==(const Config&) const = default;
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
      visit("env", self.env, FieldDoc{.doc = "which"});
    }
  };
  static Spec spec(const Config& c, const Registry& r) { return r.spec(to_text(c.env)); }
  static std::unique_ptr<Stream> open(const Config& c, const Registry& r, const EpisodeSource& s,
                                      const StreamOptions& o) {
    return r.stream(to_text(c.env), s, o);
  }
};

TEST(Registry, StreamsOfTheirOwn) {
  Registry r = counter_registry();
  r.add_stream<Behind>();
  const Registry copy = r;
  const RandomEpisodes source(Rng(3), {.count = 2});
  const auto stream = copy.stream("behind(env=counter(goal=4))", source);
  EXPECT_EQ(stream->spec().name, "counter");
  const auto policy = copy.policy("constant", stream->spec());
  std::size_t episodes = 0;
  EXPECT_EQ(play_all(*stream, *policy, episodes), 4);
  EXPECT_EQ(copy.canonical_env("behind(env=counter(goal=4))"), "behind(env=counter(goal=4))");
  EXPECT_THROW(static_cast<void>(copy.env_factory("behind")), Error);
}

}  // namespace registry_test
}  // namespace park
