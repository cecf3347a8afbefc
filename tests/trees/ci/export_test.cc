// Exported C++: trees with all kinds of features, for every registered environment, are exported and
// compiled as warnings allow nothing. The compiled code has to choose what the policy chooses.
#include "park/trees/export.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "park/core/identifier.h"
#include "park/core/rng.h"
#include "park/envs/envs.h"
#include "park/trees/feature_list.h"
#include "park/trees/tree_policy.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/small_envs.h"
#include "tests/kit/toy_shop.h"

namespace park::trees {
namespace export_test {

constexpr std::size_t kDecisions = 20'000;  // of each environment

/// A tree that asks about features at random.
void add_node(Forest& f, Tree& tree, const std::vector<Expression>& features, Rng& rng, int depth) {
  const std::size_t at = tree.nodes.size();
  tree.nodes.emplace_back();
  if (depth == 0) {
    tree.nodes[at].value = static_cast<float>(rng.below(40)) / 8;
    return;
  }
  f.inputs.push_back(features[rng.below(features.size())]);
  f.asked.push_back(0);
  tree.nodes[at].feature = static_cast<std::uint32_t>(f.inputs.size() - 1);
  constexpr float kThresholds[] = {-0.5f, 0, 0.5f, 1.5f, 2.5f, 7.125f, 30, 1e5f};
  tree.nodes[at].threshold = kThresholds[rng.below(8)];
  tree.nodes[at].yes = static_cast<std::uint32_t>(tree.nodes.size());
  add_node(f, tree, features, rng, depth - 1);
  tree.nodes[at].no = static_cast<std::uint32_t>(tree.nodes.size());
  add_node(f, tree, features, rng, depth - 1);
}

Forest random_forest(const std::vector<Expression>& features, Rng& rng) {
  Forest f;
  for (int t = 0; t < 2; ++t) {
    f.trees.emplace_back();
    add_node(f, f.trees.back(), features, rng, 4);
  }
  return f;
}

/// Also the least of each name, which no list of features has by itself.
std::vector<Expression> with_least(std::vector<Expression> features) {
  for (std::size_t f = features.size(); f-- > 0;)
    if (features[f].kind == Expression::Kind::name)
      features.push_back(parse_expression(to_text(features[f]) + "#least"));
  return features;
}

TreeFile random_file(const Spec& spec, Rng rng) {
  const Heads heads(spec);
  const FeatureHints hints = hints_of(spec);
  TreeFile file{.env = spec.name, .layout = layout_text(spec)};
  for (const Derived& d : hints.features) file.features.push_back({{}, d});
  for (std::size_t h = 0; h < heads.size(); ++h) {
    HeadTrees trees{{}, heads[h].name};
    for (const auto& [head, rule] : hints.rules)
      if (head == trees.name) trees.rules.push_back(rule);
    for (const Level& level : default_levels(spec, heads, h)) {
      const auto features = feature_list(spec, heads, level, hints);
      if (heads[h].kind == HeadKind::interval && spec.name == test::ToyShop::kName) {
        const std::string name = to_text(features[rng.below(features.size())]);
        trees.values.push_back({{}, {parse_expression(name + " / 3 + 0.5")}, {0}, {}});
        continue;
      }
      if (level.kind == Level::Kind::situation) {
        for (std::size_t k = 0; k < heads[h].width; ++k)
          trees.values.push_back(random_forest(features, rng));
        continue;
      }
      trees.levels.push_back({{}, level_name(heads, level)});
      trees.levels.back().forest = random_forest(with_least(features), rng);
      trees.levels.back().ties = {{{}, features[rng.below(features.size())], false}};
    }
    file.heads.push_back(std::move(trees));
  }
  return file;
}

/// One library with the code of all files; functions are found by environment and head.
class Compiled {
 public:
  using Decide = std::int32_t (*)(const Batch*, std::size_t, const std::int32_t*, std::size_t,
                                  std::int64_t);

  void add(const Spec& spec, const TreeFile& file) {
    test::write_text(folder_.file(spec.name + ".h"), export_cpp(file, "f", spec));
    code_ += "#include \"" + spec.name + ".h\"\n";
    const std::string space = "trees_of_" + spec.name;
    for (const Leaf& head : spec.action.leaves) {
      if (head.dtype != DType::i32) continue;
      functions_ +=
          "extern \"C\" std::int32_t " + spec.name + '_' + identifier_of(head.name) +
          "(const park::Batch* batch, std::size_t r, const std::int32_t* c, std::size_t n,\n"
          "    std::int64_t given) {\n  " +
          space + "::Row row;\n  " + space + "::visit(row, Bind{batch->row(r)});\n  return " +
          space + "::decide_" + identifier_of(head.name) + "(row, {c, n}, given);\n}\n";
    }
  }

  void compile() {
    test::write_text(folder_.file("all.cc"),
                     "#include \"park/core/batch.h\"\n" + code_ +
                         "struct Bind {\n  park::ConstRow row;\n"
                         "  template <class T>\n  void operator()(const char* name, "
                         "std::span<const T>& leaf) const {\n"
                         "    leaf = row[row.batch().template field<T>(name)];\n  }\n"
                         "  void operator()(const char* name, std::size_t& count) const {\n"
                         "    count = row.count(row.batch().group(name));\n  }\n};\n" +
                         functions_);
    const std::string command =
        std::string(PARK_CXX) +
        " -std=c++20 -O1 -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror -shared -fPIC -I" +
        PARK_SOURCE_DIR + " -o " + folder_.file("all.so") + ' ' + folder_.file("all.cc");
    ASSERT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT(cert-env33-c)
    library_ = dlopen(folder_.file("all.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
  }
  [[nodiscard]] Decide function(const std::string& env, const std::string& head) const {
    return reinterpret_cast<Decide>(dlsym(library_, (env + '_' + identifier_of(head)).c_str()));
  }

 private:
  test::ScratchFolder folder_{"export"};
  std::string code_, functions_;
  void* library_ = nullptr;  // stays open to the end of the process
};

class Exported : public testing::Test {
 protected:
  Exported() {
    envs::register_all(registry_);
    registry_.add_env<test::ToyShop>();
    envs_ = test::small_envs();
    envs_.emplace_back("toy_shop");
  }

  /// Random actions lead through the states; the tree is asked about each.
  void compare(const std::string& env, const TreeFile& file, const Compiled& compiled) {
    const RandomEpisodes episodes(Rng(3), {});
    const auto stream = registry_.stream(env, episodes, {.slots = 4});
    const Spec& spec = stream->spec();
    const Heads heads(spec);
    if (test::only_continuous(spec)) return;  // such heads are not exported
    TreePolicy tree(file, "f", spec);
    RandomPolicy random(spec);
    Batch chosen(spec.action);
    Candidates c;
    std::size_t compared = 0;
    play(*stream, random, Rng(4), [&](const Decisions& d, const Batch&) {
      chosen.clear();
      chosen.resize(d.asked.size());
      if (!d.asked.empty()) tree.act(d, chosen);
      for (std::size_t h = 0; h < heads.size(); ++h) {
        if (heads[h].kind == HeadKind::continuous) continue;
        const auto decide = compiled.function(spec.name, heads[h].name);
        heads.candidates(h, d.observation, chosen, c);
        for (std::size_t r = 0; r < c.rows(); ++r) {
          const std::int64_t given =
              heads[h].given < 0
                  ? 0
                  : heads.get(chosen.row(r), static_cast<std::size_t>(heads[h].given));
          EXPECT_EQ(decide(&d.observation, r, c.value.data() + c.offsets[r],
                           static_cast<std::size_t>(c.count(r)), given),
                    heads.get(chosen.row(r), h))
              << env << ' ' << heads[h].name;
          ++compared;
        }
      }
      return compared < kDecisions && !HasFailure();
    });
    EXPECT_GE(compared, kDecisions) << env;
  }

  Registry registry_;
  std::vector<std::string> envs_;
};

TEST_F(Exported, CodeChoosesAsThePolicy) {
  Compiled compiled;
  std::vector<TreeFile> files;
  for (const std::string& env : envs_) {
    const Spec spec = registry_.spec(env);
    files.push_back(random_file(spec, Rng(files.size() + 1)));
    compiled.add(spec, files.back());
  }
  ASSERT_NO_FATAL_FAILURE(compiled.compile());
  for (std::size_t e = 0; e < envs_.size(); ++e) compare(envs_[e], files[e], compiled);
}

TEST(ExportedText, AFormulaIsThere) {
  const TreeFile file = parse_tree_file(
      "park-tree 1\nenv x layout 0123456789abcdef\nhead a\n  value = b / c#count\n", "f");
  EXPECT_NE(export_json(file).find("\"formula\": \"b / c#count\""), std::string::npos);
  EXPECT_NE(export_dot(file).find("[label=\"b / c#count\"]"), std::string::npos);
}

}  // namespace export_test
}  // namespace park::trees
