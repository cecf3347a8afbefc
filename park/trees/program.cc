// compile: expressions become nodes, each text once. A name is a derived feature, a count, or a
// leaf: of the row, of the level's own elements, or of elements that these lead to. Suffixes wrap
// what the name without them means. Files of trees are compiled here when they are bound to a spec.
#include "park/trees/program.h"

#include <algorithm>
#include <map>

#include "park/core/config.h"
#include "park/core/error.h"

namespace park::trees {
namespace {

bool is_group(const Spec& spec, const std::string& name) {
  return std::ranges::find(spec.observation.groups, name, &Group::name) !=
         spec.observation.groups.end();
}

[[noreturn]] void fail(const std::string& what) { throw Error(Errc::invalid_space, what); }

[[noreturn]] void fail_unknown_leaf(const Spec& spec, const std::vector<Derived>& derived,
                                    const std::string& name) {
  std::vector<std::string> names;
  for (const Leaf& leaf : spec.observation.leaves) names.push_back(leaf.name);
  for (const Derived& d : derived) names.push_back(d.name);
  const std::string near = nearest(name, names);
  fail("there is no leaf '" + name + "'" + (near.empty() ? "" : "; '" + near + "' is near"));
}

void check_names_of(const Spec& spec, const Expression& e, const std::vector<Derived>& earlier) {
  for (const Expression& arg : e.args) check_names_of(spec, arg, earlier);
  if (e.kind != Expression::Kind::name || e.name.empty()) return;
  if (spec.observation.find(e.name) == nullptr && !is_group(spec, e.name) &&
      std::ranges::find(earlier, e.name, &Derived::name) == earlier.end())
    fail_unknown_leaf(spec, earlier, e.name);
}

class Compiler {
 public:
  Compiler(const Spec& spec, const Heads& heads, const Level& level,
           const std::vector<Derived>& derived)
      : spec_(spec), head_(heads[level.head]), derived_(derived), layout_(spec.observation) {
    out_.level = level;
    out_.from_candidates = Routes(spec, head_);
    out_.from_items = out_.from_candidates;
    if (level.kind != Level::Kind::linked) return;
    out_.link = out_.from_candidates.find(level.group);
    if (head_.kind != HeadKind::index || out_.link < 1)
      fail("head '" + head_.name + "' leads to no group '" + level.group + "'");
    out_.from_items = Routes(spec, level.group);
  }

  void add_output(const Expression& e) { out_.outputs.push_back(compile(e, false)); }
  Program take() { return std::move(out_); }

 private:
  [[nodiscard]] bool linked() const { return out_.level.kind == Level::Kind::linked; }
  [[nodiscard]] bool has_values() const {
    return out_.level.kind == Level::Kind::candidates && head_.kind == HeadKind::categorical;
  }

  std::size_t add(Node node, const std::string& text) {
    const std::string key = text + (node.of_candidates ? "@" : "");
    const auto [at, is_new] = known_.emplace(key, out_.nodes.size());
    if (is_new) out_.nodes.push_back(std::move(node));
    return at->second;
  }

  std::size_t compile(const Expression& e, bool of_candidates) {
    Node node{.of_candidates = of_candidates};
    if (e.kind == Expression::Kind::name) return compile_name(e, of_candidates);
    if (e.kind == Expression::Kind::number) {
      node.number = e.number;
      return add(std::move(node), to_text(e));
    }
    node.kind = Node::Kind::operation;
    node.operation = e.kind;
    for (const Expression& arg : e.args) node.args.push_back(compile(arg, of_candidates));
    return add(std::move(node), '(' + to_text(e) + ')');
  }

  std::size_t compile_name(const Expression& e, bool of_candidates) {
    Node node{.of_candidates = of_candidates};
    if (compile_count(e, node)) return add(std::move(node), to_text(e));
    if (!e.suffixes.empty()) return compile_suffix(e, of_candidates);
    const auto at = std::ranges::find(derived_, e.name, &Derived::name);
    if (at == derived_.end() || e.entry) return compile_leaf(e, of_candidates);
    return compile(at->value, of_candidates);
  }

  bool compile_count(const Expression& e, Node& node) const {
    if (e.suffixes.size() != 1 || e.entry) return false;
    const std::string& what = e.suffixes[0];
    if (e.name.empty()) {
      if (what != "candidates" && what != "value")
        fail("'#" + what + "' means nothing; it is #candidates or #value");
      if (what == "value" && !has_values())
        fail("'#value' is for the values of a categorical head");
      node.kind = what == "value" ? Node::Kind::value : Node::Kind::candidate_count;
      return true;
    }
    if (what != "count" && what != "candidates") return false;
    if (!is_group(spec_, e.name))
      fail("'" + to_text(e) + "': '" + e.name + "' is no group of the observation");
    node.group = layout_.group(e.name);
    node.kind = what == "count" ? Node::Kind::count : Node::Kind::linked_count;
    node.route = out_.from_candidates.find(e.name);
    if (what == "candidates" && (node.route < 0 || head_.kind != HeadKind::index))
      fail("'" + to_text(e) + "': candidates lead to no '" + e.name + "'");
    return true;
  }

  std::size_t compile_suffix(Expression e, bool of_candidates) {
    const std::string text = to_text(e), suffix = e.suffixes.back();
    e.suffixes.pop_back();
    Node node{.of_candidates = of_candidates};
    if (suffix == "sum") {
      const Leaf& leaf = leaf_of(e);
      if (!leaf.group.empty() || e.entry || !e.suffixes.empty())
        fail("'" + text + "': #sum is for a leaf of the row");
      place(leaf, node);
      node.kind = Node::Kind::row_sum;
      return add(std::move(node), text);
    }
    if (suffix == "max") {
      if (!linked() || of_candidates)
        fail("'" + text + "': #max is for a level of linked elements");
      node.kind = Node::Kind::largest;
      node.args.push_back(compile(e, true));
      return add(std::move(node), text);
    }
    const bool within = suffix.starts_with("rank_in_"), least = suffix == "least";
    if (suffix != "rank" && !within && !least)
      fail("'" + text + "': '#" + suffix +
           "' is none of #rank, #rank_in_GROUP, #least, #max, #sum, #count");
    if (of_candidates || out_.level.kind == Level::Kind::situation)
      fail("'" + text + "': " + (least ? "#least" : "a rank") + " needs items to compare");
    node.kind = within ? Node::Kind::rank_in : least ? Node::Kind::least : Node::Kind::rank;
    node.args.push_back(compile(e, false));
    if (within) {
      node.route = out_.from_items.find(suffix.substr(8));
      if (node.route < 1) fail("'" + text + "': items lead to no group '" + suffix.substr(8) + "'");
    }
    return add(std::move(node), text);
  }

  [[nodiscard]] const Leaf& leaf_of(const Expression& e) const {
    if (const Leaf* leaf = spec_.observation.find(e.name)) return *leaf;
    fail_unknown_leaf(spec_, derived_, e.name);
  }

  void place(const Leaf& leaf, Node& node) const {
    const auto column = static_cast<std::size_t>(&leaf - spec_.observation.leaves.data());
    node.dtype = leaf.dtype;
    node.leaf = {static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(leaf.width()),
                 layout_.group_of(column).id};
  }

  std::size_t compile_leaf(const Expression& e, bool of_candidates) {
    const Leaf& leaf = leaf_of(e);
    Node node{.of_candidates = of_candidates};
    place(leaf, node);
    const bool of_value =
        has_values() && !e.entry && static_cast<std::int64_t>(leaf.width()) == head_.values;
    if (!of_value) node.entry = entry_of(leaf, e);
    if (leaf.group.empty()) {
      node.kind = of_value ? Node::Kind::own_entry : Node::Kind::row;
    } else {
      const Routes& routes = of_candidates ? out_.from_candidates : out_.from_items;
      node.route = routes.find(leaf.group);
      node.kind = of_value ? Node::Kind::element_entry : Node::Kind::element;
      if (node.route < 0) fail_route(leaf);
    }
    return add(std::move(node), to_text(e));
  }

  [[noreturn]] void fail_route(const Leaf& leaf) const {
    const std::string here = linked()                                    ? out_.level.group
                             : out_.level.kind == Level::Kind::situation ? "the situation"
                                                                         : "the candidates";
    const bool max = linked() && out_.from_candidates.find(leaf.group) >= 0;
    fail("leaf '" + leaf.name + "' is one of " + leaf.group + ", which " + here +
         " do not lead to" + (max ? "; '" + leaf.name + "#max' is there" : ""));
  }

  [[nodiscard]] static std::uint32_t entry_of(const Leaf& leaf, const Expression& e) {
    const std::size_t width = leaf.width();
    if (e.entry && *e.entry < width) return *e.entry;
    if (!e.entry && width == 1) return 0;
    fail("leaf '" + leaf.name + "' has " + std::to_string(width) +
         " entries; name one from [0] to [" + std::to_string(width - 1) + "]");
  }

  const Spec& spec_;
  const Heads::Head& head_;
  const std::vector<Derived>& derived_;
  Batch layout_;
  Program out_;
  std::map<std::string, std::size_t> known_;
};

}  // namespace

void check_names(const Spec& spec, const Derived& derived, const std::vector<Derived>& earlier) {
  if (spec.observation.find(derived.name) != nullptr)
    fail("feature '" + derived.name + "' has the name of a leaf");
  if (std::ranges::find(earlier, derived.name, &Derived::name) != earlier.end())
    fail("feature '" + derived.name + "' is there twice");
  check_names_of(spec, derived.value, earlier);
}

Program compile(const Spec& spec, const Heads& heads, const Level& level,
                const std::vector<Expression>& features, const std::vector<Derived>& derived) {
  Compiler compiler(spec, heads, level, derived);
  for (const Expression& e : features) compiler.add_output(e);
  return compiler.take();
}

}  // namespace park::trees
