// Features from a spec. The reader of features.txt comes first, then the list of a level: leaves of
// the items and of what they lead to, with ranks, then the row, counts and derived features. Names
// are the texts that compile (program.h) reads.
#include "park/trees/feature_list.h"

#include <algorithm>
#include <cstdlib>

#include "park/core/categories.h"
#include "park/core/error.h"
#include "park/envs/bundled_texts.h"
#include "park/trees/tree_lines.h"

namespace park::trees {
namespace {

// Entries of one leaf; a leaf with more is a picture and not a list of figures.
constexpr std::size_t kMostEntries = 64;
// Categories of one leaf that are split off one by one; of more a tree asks by their number.
constexpr std::int64_t kMostSplit = 64;

/// 1 where a whole number is this category, else 0.
std::string is_category(const std::string& name, std::int64_t category) {
  const std::string number = std::to_string(std::abs(category));
  if (category < 0)
    return "1 - min(1, max(" + name + " + " + number + ", 0 - " + name + " - " + number + "))";
  return "1 - min(1, max(" + name + " - " + number + ", " + number + " - " + name + "))";
}

class HintReader : TreeLines {
 public:
  HintReader(std::string_view text, const std::string& name) : TreeLines(text, name) {}

  FeatureHints hints() {
    while (more()) {
      same_indent(0);
      if (starts("feature ")) {
        out_.features.push_back(feature().feature);
        continue;
      }
      read_line();
      next();
    }
    return std::move(out_);
  }

 private:
  void read_line() {
    const std::size_t gap = std::min(line().text.find(' '), line().text.size());
    const std::string_view word = line().text.substr(0, gap);
    std::string_view rest = line().text.substr(gap);
    static_cast<void>(takes(rest, ""));
    if (word == "without") return take_names(rest, out_.without);
    if (word == "ranks_of") return take_names(rest, out_.ranks_of);
    if (word == "classes") {
      std::vector<std::string> names;
      take_names(rest, names);
      out_.classes.insert(names.begin(), names.end());
      return;
    }
    const std::size_t end_of_name = std::min(rest.find(' '), rest.size());
    const std::string name(rest.substr(0, end_of_name));
    rest.remove_prefix(end_of_name);
    if (word == "rule") {
      out_.rules.emplace_back(name, rule(rest));
    } else if (word == "ties") {
      out_.ties.emplace_back(name, ties(rest));
    } else if (word == "have" || word == "most") {
      if (!takes(rest, "=")) expected("'" + std::string(word) + " HEAD = EXPRESSION'");
      (word == "have" ? out_.have : out_.most).emplace(name, expression(rest));
      end(rest);
    } else if (word == "separate") {
      take_separate(name, rest);
    } else {
      expected("without, ranks_of, classes, feature, rule, ties, have, most or separate");
    }
  }

  void take_separate(const std::string& strategy, std::string_view rest) {
    const Expression head = expression(rest);
    if (strategy.empty() || head.kind != Expression::Kind::name || !takes(rest, "="))
      expected("'separate NAME HEAD = EXPRESSION'");
    if (!out_.separate[strategy].emplace(to_text(head), expression(rest)).second)
      fail("strategy " + shown(strategy) + " gives " + shown(to_text(head)) + " twice");
    end(rest);
  }

  void take_names(std::string_view rest, std::vector<std::string>& out) {
    do {
      const Expression e = expression(rest);
      if (e.kind != Expression::Kind::name) expected("names of leaves");
      out.push_back(e.name);
    } while (takes(rest, ","));
    end(rest);
  }

  FeatureHints out_;
};

class Lister {
 public:
  Lister(const Spec& spec, const Heads& heads, Level level, const FeatureHints& hints)
      : spec_(spec),
        heads_(heads),
        head_(heads[level.head]),
        level_(std::move(level)),
        hints_(hints) {}

  std::vector<Expression> list() {
    const Routes routes(spec_, head_);
    const bool linked = level_.kind == Level::Kind::linked;
    const Routes items = linked ? Routes(spec_, level_.group) : routes;
    for (std::size_t r = 0; r < items.size(); ++r)
      for (const Leaf& leaf : spec_.observation.leaves)
        if (!leaf.group.empty() && leaf.group == items[r].group) add_leaf(leaf, "", items);
    if (linked)
      for (const Leaf& leaf : spec_.observation.leaves)
        if (leaf.group == head_.group) add_leaf(leaf, "#max", items);
    for (const Leaf& leaf : spec_.observation.leaves)
      if (leaf.group.empty()) add_row(leaf, items);
    add_counts(routes);
    for (const Derived& d : hints_.features) add_derived(d, items);
    return std::move(out_);
  }

 private:
  [[nodiscard]] static bool named(const std::vector<std::string>& all, const std::string& name) {
    return std::ranges::find(all, name) != all.end();
  }
  [[nodiscard]] bool compares() const { return level_.kind != Level::Kind::situation; }

  void add(const std::string& text) {
    if (known_.insert(text).second) out_.push_back(parse_expression(text));
  }

  /// A name that differs between items, with its ranks.
  void add_ranked(const std::string& name, const Routes& items, bool only_ranks) {
    if (!only_ranks) add(name);
    if (!compares()) return;
    add(name + "#rank");
    for (std::size_t r = 1; r < items.size(); ++r)
      if (!items[r].group.empty() && belongs_to_items(name))
        add(name + "#rank_in_" + items[r].group);
  }
  /// Elements that items lead to have one value for all items that lead there.
  [[nodiscard]] bool belongs_to_items(const std::string& name) const {
    const Leaf* leaf = spec_.observation.find(name.substr(0, name.find_first_of("[#")));
    const std::string& own = level_.kind == Level::Kind::linked ? level_.group : head_.group;
    return leaf == nullptr || leaf->group == own || name.ends_with("#max");
  }

  [[nodiscard]] bool usable(const Leaf& leaf) const {
    return !leaf.informative() && !leaf.name.starts_with("mask.") && leaf.index_of.empty() &&
           leaf.width() <= kMostEntries && !left_out(hints_, leaf.name);
  }

  void add_leaf(const Leaf& leaf, const std::string& suffix, const Routes& items) {
    if (!usable(leaf)) return;
    if (categories(leaf) > 0) return suffix.empty() ? add_categories(leaf) : void();
    const bool only_ranks = named(hints_.ranks_of, leaf.name);
    if (of_value(leaf)) return add_ranked(leaf.name + suffix, items, only_ranks);
    for (std::size_t i = 0; i < leaf.width(); ++i)
      add_ranked(leaf.name + (leaf.width() > 1 ? '[' + std::to_string(i) + ']' : "") + suffix,
                 items, only_ranks);
  }

  /// Each category against the others: their numbers have no order.
  void add_categories(const Leaf& leaf) {
    const bool one = of_value(leaf) || leaf.width() == 1;
    const std::int64_t names = categories(leaf);
    for (std::size_t i = 0; i < (one ? 1 : leaf.width()); ++i) {
      const std::string name = leaf.name + (one ? "" : '[' + std::to_string(i) + ']');
      if (names * static_cast<std::int64_t>(one ? 1 : leaf.width()) > kMostSplit) {
        add(name);
        continue;
      }
      for (std::int64_t c = 0; c < names; ++c)
        add(is_category(name, static_cast<std::int64_t>(leaf.low) + c));
    }
  }

  [[nodiscard]] bool of_value(const Leaf& leaf) const {
    return level_.kind == Level::Kind::candidates && head_.kind == HeadKind::categorical &&
           static_cast<std::int64_t>(leaf.width()) == head_.values;
  }

  void add_row(const Leaf& leaf, const Routes& items) {
    if (!usable(leaf) || (named(hints_.ranks_of, leaf.name) && !of_value(leaf))) return;
    if (of_value(leaf) || categories(leaf) > 0) return add_leaf(leaf, "", items);
    if (leaf.width() == 1) return add(leaf.name);
    for (std::size_t i = 0; i < leaf.width(); ++i) add(leaf.name + '[' + std::to_string(i) + ']');
    add(leaf.name + "#sum");
  }

  void add_counts(const Routes& routes) {
    for (const Group& g : spec_.observation.groups) add(g.name + "#count");
    add("#candidates");
    if (head_.kind == HeadKind::index)
      for (std::size_t r = 1; r < routes.size(); ++r)
        if (!routes[r].group.empty()) add(routes[r].group + "#candidates");
    if (head_.kind == HeadKind::categorical && level_.kind == Level::Kind::candidates)
      add("#value");
  }

  /// A derived feature as it stands, or as the largest one of a linked element's candidates.
  void add_derived(const Derived& d, const Routes& items) {
    if (left_out(hints_, d.name)) return;
    for (const char* suffix : {"", "#max"}) {
      if (*suffix != '\0' && level_.kind != Level::Kind::linked) return;
      try {
        static_cast<void>(
            compile(spec_, heads_, level_, {parse_expression(d.name + suffix)}, hints_.features));
      } catch (const Error&) {
        continue;  // it has no meaning at this level
      }
      return add_ranked(d.name + suffix, items, false);
    }
  }

  const Spec& spec_;
  const Heads& heads_;
  const Heads::Head& head_;
  Level level_;
  const FeatureHints& hints_;
  std::set<std::string> known_;
  std::vector<Expression> out_;
};

}  // namespace

bool left_out(const FeatureHints& hints, const std::string& name) {
  return std::ranges::find(hints.without, name) != hints.without.end();
}

FeatureHints parse_feature_hints(std::string_view text, const std::string& name) {
  return HintReader(text, name).hints();
}

FeatureHints hints_of(const Spec& spec) {
  for (const std::string& name : {spec.name, spec.traits.twin})
    for (const auto& [file, text] : envs::bundled_features())
      if (file == "park/envs/" + name + "/features.txt")
        return parse_feature_hints(text, "features.txt of " + name);
  return {};
}

std::map<std::string, Expression> separate_heads(const FeatureHints& hints,
                                                 const std::string& strategy, const Spec& spec) {
  if (strategy.empty()) return {};
  const auto at = hints.separate.find(strategy);
  if (at != hints.separate.end()) return at->second;
  std::string known;
  for (const auto& [name, heads] : hints.separate) known += (known.empty() ? "" : ", ") + name;
  throw Error(Errc::invalid_config, spec.name + " has no separate strategy " + shown(strategy) +
                                        "; it has " + (known.empty() ? "none" : known));
}

std::vector<Expression> feature_list(const Spec& spec, const Heads& heads, const Level& level,
                                     const FeatureHints& hints) {
  return Lister(spec, heads, level, hints).list();
}

std::vector<Level> default_levels(const Spec& spec, const Heads& heads, std::size_t head) {
  std::vector<Level> all;
  const HeadKind kind = heads[head].kind;
  if (kind == HeadKind::interval || kind == HeadKind::continuous)
    return {{.head = head, .kind = Level::Kind::situation}};
  if (kind == HeadKind::index) {
    const Routes routes(spec, heads[head]);
    for (std::size_t r = 1; r < routes.size(); ++r)
      if (routes[r].from == 0 && !routes[r].group.empty())
        all.push_back({.head = head, .kind = Level::Kind::linked, .group = routes[r].group});
  }
  all.push_back({.head = head});
  return all;
}

std::string level_name(const Heads& heads, const Level& level) {
  if (level.kind == Level::Kind::linked) return level.group;
  return heads[level.head].kind == HeadKind::index ? heads[level.head].group : "values";
}

}  // namespace park::trees
