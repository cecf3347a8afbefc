// A tree file as text for others: a JSON object with the members of the grammar, and a graph of Graphviz. Leaves
// have the numbers of the order of the text.
#include <array>

#include "park/core/json_writer.h"
#include "park/core/text.h"
#include "park/trees/export.h"

namespace park::trees {
namespace {

constexpr std::array<const char*, 6> kSignNames{"=", "!=", "<", "<=", ">", ">="};

class JsonExport {
 public:
  std::string text(const TreeFile& f) {
    json_.begin_object()
        .member("env", f.env)
        .member("layout", f.layout)
        .member("teacher", f.teacher);
    json_.key("features").begin_array();
    for (const DerivedLine& d : f.features)
      json_.begin_object()
          .member("name", d.feature.name)
          .member("expression", to_text(d.feature.value))
          .end_object();
    json_.end_array().key("heads").begin_array();
    for (const HeadTrees& h : f.heads) head(h);
    return json_.end_array().end_object().take();
  }

 private:
  void head(const HeadTrees& h) {
    json_.begin_object().member("head", h.name).key("rules").begin_array();
    for (const Rule& r : h.rules) rule(r);
    json_.end_array().key("levels").begin_array();
    for (const LevelTrees& l : h.levels) {
      json_.begin_object().member("level", l.group).key("ties").begin_array();
      for (const Tie& tie : l.ties)
        json_.begin_object()
            .member("feature", to_text(tie.feature))
            .member("first", tie.up ? "smallest" : "largest")
            .end_object();
      json_.end_array();
      forest(l.forest);
      json_.end_object();
    }
    json_.end_array().key("values").begin_array();
    for (const Forest& v : h.values) {
      json_.begin_object();
      forest(v);
      json_.end_object();
    }
    json_.end_array().end_object();
  }

  void rule(const Rule& r) {
    json_.begin_object().member("reason", r.reason).key("conditions").begin_array();
    for (const Condition& c : r.conditions)
      json_.begin_object()
          .member("feature", to_text(c.feature))
          .member("is", kSignNames[static_cast<std::size_t>(c.comparison)])
          .member("number", static_cast<double>(c.number))
          .end_object();
    json_.end_array();
    if (r.value) json_.member("value", static_cast<double>(*r.value));
    json_.end_object();
  }

  void forest(const Forest& f) {
    json_.key("trees").begin_array();
    for (const Tree& t : f.trees) node(f, t, 0);
    json_.end_array();
    if (f.formula()) json_.member("formula", to_text(f.inputs[0]));
  }

  void node(const Forest& f, const Tree& t, std::size_t at) {
    const TreeNode& n = t.nodes[at];
    json_.begin_object();
    if (n.leaf()) {
      json_.member("leaf", ++leaf_).member("value", static_cast<double>(n.value));
      if (n.chosen) json_.member("chosen", *n.chosen);
      if (n.samples) json_.member("samples", *n.samples);
    } else {
      json_.member("feature", to_text(f.inputs[n.feature]));
      json_.member("at_most", static_cast<double>(n.threshold));
      json_.key("yes");
      node(f, t, n.yes);
      json_.key("no");
      node(f, t, n.no);
    }
    json_.end_object();
  }

  JsonWriter json_;
  std::uint64_t leaf_ = 0;  // the last one: they are numbered in the order of the text
};

class DotExport {
 public:
  std::string text(const TreeFile& f) {
    out_ = "digraph trees {\n  node [shape=box, fontname=\"sans-serif\"];\n";
    for (const HeadTrees& h : f.heads) {
      for (const LevelTrees& l : h.levels) forest(h.name + ", level " + l.group, l.forest);
      for (const Forest& v : h.values) forest(h.name + ", value", v);
    }
    return out_ + "}\n";
  }

 private:
  void forest(const std::string& label, const Forest& f) {
    for (const Tree& t : f.trees) {
      const std::string id = begin(label);
      for (std::size_t i = 0; i < t.nodes.size(); ++i) node(f, t.nodes[i], "n" + id + '_', i);
      out_ += "  }\n";
    }
    if (!f.formula()) return;
    out_ += "    n" + begin(label) + " [label=\"" + to_text(f.inputs[0]) + "\"];\n  }\n";
  }

  /// Begins a cluster; returns its number.
  std::string begin(const std::string& label) {
    std::string id = std::to_string(clusters_++);
    out_.append("  subgraph cluster_").append(id).append(" {\n    label=\"");
    out_.append(label).append("\";\n");
    return id;
  }

  void node(const Forest& f, const TreeNode& n, const std::string& prefix, std::size_t i) {
    const std::string name = prefix + std::to_string(i);
    const auto number = [](float v) { return number_text(static_cast<double>(v)); };
    if (n.leaf()) {
      out_ += "    " + name + " [label=\"leaf " + std::to_string(++leaf_) + ": " + number(n.value);
      if (n.samples) out_ += "\\n" + std::to_string(*n.samples) + " samples";
      out_ += "\", style=rounded];\n";
      return;
    }
    out_ += "    " + name + " [label=\"" + to_text(f.inputs[n.feature]) +
            " <= " + number(n.threshold) + "\"];\n";
    out_ += "    " + name + " -> " + prefix + std::to_string(n.yes) + " [label=\"yes\"];\n";
    out_ += "    " + name + " -> " + prefix + std::to_string(n.no) + " [label=\"no\"];\n";
  }

  std::string out_;
  std::size_t clusters_ = 0, leaf_ = 0;
};

}  // namespace

std::string export_json(const TreeFile& file) { return JsonExport().text(file); }

std::string export_dot(const TreeFile& file) { return DotExport().text(file); }

}  // namespace park::trees
