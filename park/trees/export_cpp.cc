// C++ of a tree file. The programs that the policy would run are compiled from the spec as always,
// and each node becomes a line; trees become nested conditions. What all files share, such as ranks
// and the choice level by level, is a text that is copied.
#include <algorithm>
#include <array>

#include "park/core/identifier.h"
#include "park/trees/export.h"
#include "park/trees/export_table.h"
#include "park/trees/tree_policy.h"

namespace park::trees {
namespace {

/// Trees as nested conditions, and the functions of heads.
class Exporter {
 public:
  Exporter(const TreeFile& file, const std::string& name, const Spec& spec)
      : spec_(spec), heads_(spec), members_(spec) {
    static_cast<void>(TreePolicy(file, name, spec));  // complains of what does not fit
    for (const DerivedLine& d : file.features) derived_.push_back(d.feature);
    for (const HeadTrees& h : file.heads) head(h);
    text_ = "// Written by `park distill export` from a tree for " + file.env + ", layout " +
            file.layout +
            ".\n#pragma once\n\n"
            "#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <cstdint>\n"
            "#include <initializer_list>\n#include <limits>\n#include <numeric>\n#include <span>\n"
            "#include <vector>\n\nnamespace trees_of_" +
            file.env + " {\n\n" + members_.text() + kSharedCode + details_ +
            "\n}  // namespace detail\n" + functions_ + "\n}  // namespace trees_of_" + file.env +
            '\n';
  }
  std::string take() { return std::move(text_); }

 private:
  void head(const HeadTrees& h) {
    const auto at = std::ranges::find(spec_.action.leaves, h.name, &Leaf::name);
    head_ = static_cast<std::size_t>(at - spec_.action.leaves.begin());
    id_ = identifier_of(h.name);
    if (!h.levels.empty()) return levels(h);
    for (std::size_t k = 0; k < h.values.size(); ++k) value(h, k);
  }

  static constexpr const char* kArguments =
      "([[maybe_unused]] const Row& row, std::span<const std::int32_t> candidates,\n"
      "    [[maybe_unused]] std::int64_t given = 0) {\n  using namespace detail;\n";

  std::string table(const Level& level, const std::vector<Expression>& features,
                    const std::string& name) {
    const Program program = compile(spec_, heads_, level, features, derived_);
    details_ += '\n' + table_code(program, heads_[head_], members_, name);
    return name + "(row, candidates, given)";
  }

  /// The table of all conditions, or "" without rules.
  std::string rule_table(const HeadTrees& h, Level::Kind kind) {
    std::vector<Expression> all;
    for (const Rule& r : h.rules)
      for (const Condition& c : r.conditions) all.push_back(c.feature);
    if (all.empty()) return "";
    return table({.head = head_, .kind = kind}, all, "rules_of_" + id_);
  }

  static std::string condition(const Rule& r, std::size_t first) {
    constexpr std::array<const char*, 6> kCppSigns{" == ", " != ", " < ", " <= ", " > ", " >= "};
    std::string all;
    for (std::size_t i = 0; i < r.conditions.size(); ++i) {
      const Condition& c = r.conditions[i];
      all += (i > 0 ? " && " : "") + std::string("f[") + std::to_string(first + i) + ']' +
             kCppSigns[static_cast<std::size_t>(c.comparison)] + hex_literal(c.number);
    }
    return all;
  }

  void forest(const Forest& f, const std::string& name) {
    for (std::size_t t = 0; t < f.trees.size(); ++t) {
      details_ += "\ninline float " + name + '_' + std::to_string(t) +
                  "([[maybe_unused]] const float* f) {\n";
      node(f.trees[t], 0, 2);
      details_ += "}\n";
    }
    details_ += "\ninline float " + name + "(const float* f) {\n";
    if (f.trees.size() < 2) {
      details_ += f.formula() ? "  return f[0];\n}\n" : "  return " + name + "_0(f);\n}\n";
      return;
    }
    details_ += "  double sum = 0;\n";
    for (std::size_t t = 0; t < f.trees.size(); ++t)
      details_ += "  sum += static_cast<double>(" + name + '_' + std::to_string(t) + "(f));\n";
    details_ += "  return static_cast<float>(sum / " + std::to_string(f.trees.size()) + ".0);\n}\n";
  }

  void node(const Tree& tree, std::size_t at, std::size_t indent) {
    const TreeNode& n = tree.nodes[at];
    const std::string spaces(indent, ' ');
    if (n.leaf()) {
      details_ += spaces + "return " + hex_literal(n.value) + ";\n";
      return;
    }
    details_ += spaces + "if (f[" + std::to_string(n.feature) + "] <= " + hex_literal(n.threshold) +
                ") {\n";
    node(tree, n.yes, indent + 2);
    details_ += spaces + "}\n";
    node(tree, n.no, indent);
  }

  void levels(const HeadTrees& h) {
    const std::string rules = rule_table(h, Level::Kind::candidates);
    std::string body = "  std::vector<bool> kept(candidates.size(), true);\n";
    if (!rules.empty()) body += "  const Table rules = " + rules + ";\n";
    std::size_t first = 0;
    for (const Rule& r : h.rules) {
      body +=
          "  keep(kept, [&](std::size_t c) {\n    const float* const f = rules.rows[c].data();\n   "
          " return " +
          condition(r, first) + ";\n  });\n";
      first += r.conditions.size();
    }
    for (std::size_t l = 0; l < h.levels.size(); ++l) {
      const LevelTrees& level = h.levels[l];
      const std::string name = id_ + '_' + std::to_string(l);
      std::vector<Expression> features = level.forest.inputs;
      std::string ties;
      for (const Tie& tie : level.ties) {
        ties += (ties.empty() ? "{" : ", {") + std::to_string(features.size()) + ", " +
                (tie.up ? "true" : "false") + '}';
        features.push_back(tie.feature);
      }
      const bool own =
          level.group == (heads_[head_].kind == HeadKind::index ? heads_[head_].group : "values");
      Level of{.head = head_};
      if (!own) of = {.head = head_, .kind = Level::Kind::linked, .group = level.group};
      const std::string call = table(of, features, "table_of_" + name);
      forest(level.forest, "score_of_" + name);
      body.append("  narrow(").append(call).append(", score_of_").append(name);
      body.append(", {").append(ties).append("}, kept);\n");
    }
    functions_ +=
        "\n/// The chosen one of the legal values, of which there is at least one.\ninline "
        "std::int32_t decide_" +
        id_ + kArguments + body + "  return first(kept, candidates);\n}\n";
  }

  void value(const HeadTrees& h, std::size_t component) {
    const bool real = heads_[head_].kind == HeadKind::continuous;
    const std::string name = id_ + '_' + std::to_string(component);
    const std::string rules = component == 0    ? rule_table(h, Level::Kind::situation)
                              : h.rules.empty() ? ""
                                                : "rules_of_" + id_ + "(row, candidates, given)";
    const std::string call = table({.head = head_, .kind = Level::Kind::situation},
                                   h.values[component].inputs, "table_of_" + name);
    forest(h.values[component], "value_of_" + name);
    std::string body;
    if (!rules.empty())
      body +=
          "  const Table rules = " + rules + ";\n  const float* const f = rules.rows[0].data();\n";
    std::size_t first = 0;
    for (const Rule& r : h.rules) {
      body += "  if (" + condition(r, first) + ") return " + hex_literal(*r.value) + ";\n";
      first += r.conditions.size();
    }
    functions_ += "\n/// The number before it is made legal.\ninline float number_" + name +
                  kArguments + body + "  const Table t = " + call + ";\n  return value_of_" + name +
                  "(t.rows[0].data());\n}\n";
    if (!real)
      functions_ +=
          "\n/// The chosen one of the legal values, of which there is at least one.\ninline "
          "std::int32_t decide_" +
          id_ + kArguments + "  return nearest(candidates, number_" + name +
          "(row, candidates, given));\n}\n";
  }

  const Spec& spec_;
  Heads heads_;
  RowMembers members_;
  std::vector<Derived> derived_;
  std::size_t head_ = 0;
  std::string id_, details_, functions_, text_;
};

}  // namespace

std::string export_cpp(const TreeFile& file, const std::string& name, const Spec& spec) {
  return Exporter(file, name, spec).take();
}

}  // namespace park::trees
