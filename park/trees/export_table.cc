// Exported code of tables: a node of a program becomes a line or two. RowMembers collects which leaves
// the code reads and writes the struct that has them.
#include "park/trees/export_table.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "park/core/identifier.h"
#include "park/core/text.h"

namespace park::trees {
namespace {

std::string number(std::size_t n) { return std::to_string(n); }

const char* type_text(DType t) {
  constexpr std::array<const char*, 5> kTypes{"std::uint8_t", "std::int32_t", "std::int64_t",
                                              "float", "double"};
  return kTypes[static_cast<std::size_t>(t)];
}

/// The function that computes the table of a program.
class TableCode {
 public:
  TableCode(const Program& program, const Heads::Head& head, RowMembers& members)
      : p_(program), head_(head), members_(members) {}

  std::string text(const std::string& name) {
    const bool linked = p_.level.kind == Level::Kind::linked;
    const bool alone = p_.level.kind == Level::Kind::situation;
    line("Table t;");
    line("[[maybe_unused]] const std::size_t count = " +
         std::string(alone ? "1;" : "candidates.size();"));
    elements(p_.from_candidates, "e",
             head_.kind == HeadKind::index ? "(candidates.begin(), candidates.end())"
                                           : "(count, given)");
    if (linked) {
      const std::string link = "e" + number(static_cast<std::size_t>(p_.link));
      elements(p_.from_items, "i", " = distinct(" + link + ")");
      line("const std::size_t items = i0.size();");
      line("for (const std::int64_t e : " + link + ") t.item_of.push_back(place(i0, e));");
    } else {
      line("const std::size_t items = count;");
      line(alone ? "t.item_of.assign(candidates.size(), 0);"
                 : "for (std::uint32_t c = 0; c < count; ++c) t.item_of.push_back(c);");
    }
    for (std::size_t n = 0; n < p_.nodes.size(); ++n) node(n);
    std::string columns;
    for (const std::size_t o : p_.outputs) columns += (columns.empty() ? "&c" : ", &c") + number(o);
    line("finish(t, items, {" + columns + "});");
    line("return t;");
    return "inline Table " + name +
           "([[maybe_unused]] const Row& row, Candidates candidates, [[maybe_unused]] std::int64_t "
           "given) {\n" +
           text_ + "}\n";
  }

 private:
  void line(const std::string& text) { text_ += "  " + text + '\n'; }

  void elements(const Routes& routes, const std::string& prefix, const std::string& first) {
    for (std::size_t r = 0; r < routes.size(); ++r) {
      std::string code = "[[maybe_unused]] const Elements ";
      code.append(prefix).append(number(r));
      if (routes[r].from < 0) {
        code.append(first);
      } else {
        code.append(" = follow(").append(members_.leaf(routes[r].leaf.column)).append(", ");
        code.append(prefix).append(number(static_cast<std::size_t>(routes[r].from))).append(")");
      }
      line(code + ';');
    }
  }

  static std::string as_double(const std::string& text) {
    return "static_cast<double>(" + text + ')';
  }
  static std::string at(const std::string& place) {
    return "[static_cast<std::size_t>(" + place + ")]";
  }

  void node(std::size_t n) {
    using Kind = Node::Kind;
    const Node& node = p_.nodes[n];
    name_ = "c" + number(n);
    const bool of_items = p_.level.kind == Level::Kind::linked && !node.of_candidates;
    items_ = of_items ? "items" : "count";
    prefix_ = of_items ? "i" : "e";
    const auto arg = [&] { return "c" + number(node.args[0]); };
    switch (node.kind) {
      case Kind::number:
        same(hex_literal(node.number));
        break;
      case Kind::count:
        same(as_double(members_.count(node.group.id)));
        break;
      case Kind::linked_count:
        same(as_double("distinct(e" + route(node) + ").size()"));
        break;
      case Kind::candidate_count:
        same(as_double("candidates.size()"));
        break;
      case Kind::value:
        each(as_double("candidates[i]"));
        break;
      case Kind::largest:
        line("Values " + name_ + " = largest(" + arg() + ", t.item_of, items);");
        break;
      case Kind::least:
        same("*std::ranges::min_element(" + arg() + ")");
        break;
      case Kind::rank:
        line("Values " + name_ + " = ranks(" + arg() + ", Elements(items, 0));");
        break;
      case Kind::rank_in:
        line("Values " + name_ + " = ranks(" + arg() + ", " + prefix_ + route(node) + ");");
        break;
      case Kind::operation:
        each(operation(node));
        break;
      default:
        leaf(node);
    }
    line("clean(" + name_ + ");");
  }

  void leaf(const Node& node) {
    using Kind = Node::Kind;
    const std::string of = members_.leaf(node.leaf.column);
    const std::string value = "candidates[i] - (" + number_text(head_.low) + ")";
    const auto element = [&](const std::string& entry) {
      return as_double(
          of + at(prefix_ + route(node) + "[i] * " + number(node.leaf.width) + " + " + entry));
    };
    if (node.kind == Kind::row) same(as_double(of + '[' + number(node.entry) + ']'));
    if (node.kind == Kind::own_entry) each(as_double(of + at(value)));
    if (node.kind == Kind::element) each(element(number(node.entry)));
    if (node.kind == Kind::element_entry) each(element(value));
    if (node.kind != Kind::row_sum) return;
    same("0.0");
    line("for (const auto v : " + of + ") for (double& x : " + name_ +
         ") x += static_cast<double>(v);");
  }

  void same(const std::string& v) { line("Values " + name_ + '(' + items_ + ", " + v + ");"); }
  void each(const std::string& v) {
    line("Values " + name_ + '(' + items_ + ");");
    line("for (std::size_t i = 0; i < " + items_ + "; ++i) " + name_ + "[i] = " + v + ';');
  }
  static std::string route(const Node& node) {
    return number(static_cast<std::size_t>(node.route));
  }

  static std::string operation(const Node& node) {
    using Kind = Expression::Kind;
    std::string all = "c" + number(node.args[0]) + "[i]";
    if (node.operation == Kind::negative) return '-' + all;
    if (node.operation == Kind::log) return "std::log(" + all + ')';
    for (std::size_t a = 1; a < node.args.size(); ++a) {
      const std::string next = "c" + number(node.args[a]) + "[i]";
      if (node.operation == Kind::min || node.operation == Kind::max) {
        all.insert(0, node.operation == Kind::min ? "std::min(" : "std::max(");
        all.append(", ").append(next).append(")");
        continue;
      }
      const char* const sign = node.operation == Kind::sum          ? " + "
                               : node.operation == Kind::difference ? " - "
                               : node.operation == Kind::product    ? " * "
                                                                    : " / ";
      all += sign + next;
    }
    return all;
  }

  const Program& p_;
  const Heads::Head& head_;
  RowMembers& members_;
  std::string text_, name_, items_, prefix_;
};

}  // namespace

std::string hex_literal(double v) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%a", v);
  return text.data();
}

std::string hex_literal(float v) { return hex_literal(static_cast<double>(v)) + 'f'; }

std::string RowMembers::leaf(std::uint32_t column) {
  leaves_.insert(column);
  return "row." + identifier(spec_.observation.leaves[column].name);
}

std::string RowMembers::count(std::int32_t group) {
  groups_.insert(group);
  return "row.count_of_" + name_of(group);
}

std::string RowMembers::text() {
  std::string members, visits;
  for (const std::uint32_t column : leaves_) {
    const Leaf& leaf = spec_.observation.leaves[column];
    const std::string id = identifier(leaf.name);
    members += "  std::span<const " + std::string(type_text(leaf.dtype)) + "> " + id + "{};  // " +
               (leaf.group.empty() ? "" : "[" + leaf.group + "] ") + leaf.unit + '\n';
    visits += "  see(\"" + leaf.name + "\", row." + id + ");\n";
  }
  for (const std::int32_t group : groups_) {
    members += "  std::size_t count_of_" + name_of(group) + " = 0;\n";
    visits += "  see(\"" + name_of(group) + "\", row.count_of_" + name_of(group) + ");\n";
  }
  return "/// What an observation has to tell: leaves by element, and counts of groups.\n"
         "struct Row {\n" +
         members +
         "};\n\n/// Calls see(name, member) for each of them.\ntemplate <class See>\n"
         "void visit([[maybe_unused]] Row& row, [[maybe_unused]] See&& see) {\n" +
         visits + "}\n";
}

/// Dots become underscores; a name without dots gets one at its end, so that it is no keyword.
std::string RowMembers::identifier(const std::string& name) {
  const auto known = ids_.find(name);
  if (known != ids_.end()) return known->second;
  std::string id = identifier_of(name);
  if (id == name) id += '_';
  while (std::ranges::any_of(ids_, [&](const auto& other) { return other.second == id; }))
    id += '_';
  return ids_[name] = id;
}

std::string table_code(const Program& program, const Heads::Head& head, RowMembers& members,
                       const std::string& name) {
  return TableCode(program, head, members).text(name);
}

}  // namespace park::trees
