#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/net/category_lists.h"
#include "agents/net/leaf_matrix.h"
#include "agents/net/normaliser.h"
#include "park/core/batch.h"
#include "park/core/candidates.h"
#include "park/core/space.h"

namespace park::agents {

/// The observation of a spec as tables of normalised features, and the elements that an element
/// refers to. There is one table per group and one for the rest of the row. A categorical head of K
/// values has a table if the row has leaves of width K, such as the rates of K servers. That
/// table has an element per value. Categories are one-hot inputs beside the features. An element
/// has its own categories and those of what it refers to. The context has the categories of the row
/// and the means of categories over each table.
class ScorerTables {
 public:
  ScorerTables(const Spec&, const Heads&);

  /// The tables of B observations.
  struct Features {
    const Batch* batch = nullptr;
    std::vector<at::Tensor> tables;                  // [n, width] each
    std::vector<std::vector<std::int64_t>> offsets;  // [B + 1] each
    at::Tensor context;  ///< [B, context_width]: the row, means of the tables and log of counts
    std::vector<std::vector<std::int64_t>>
        categories;  // [n, values] of each table, then of the row
  };
  [[nodiscard]] Features of(const Batch&) const;

  [[nodiscard]] std::size_t tables() const noexcept { return tables_.size(); }
  [[nodiscard]] const std::string& name(std::size_t table) const { return tables_[table].name; }
  /// The table of a head's candidates, or -1.
  [[nodiscard]] std::int32_t table_of(std::size_t head) const { return of_head_[head]; }
  [[nodiscard]] std::int64_t context_width() const noexcept { return context_width_; }

  /// Its elements are only references to others.
  [[nodiscard]] bool only_refers(std::size_t table) const {
    return tables_[table].matrix.width() == 0 && tables_[table].categories.inputs() == 0;
  }
  /// Features of an element, by its place, and of all that its references lead to: [reach_width].
  [[nodiscard]] std::int64_t reach_width(std::size_t table) const { return tables_[table].reach; }
  float* write(const Features&, std::size_t table, std::size_t row, std::int64_t place,
               float* to) const;
  /// Features of an element alone: [width].
  [[nodiscard]] std::int64_t width(std::size_t table) const {
    return tables_[table].matrix.width();
  }
  float* write_own(const Features&, std::size_t table, std::int64_t place, float* to) const;

  /// The tables that the paths of references from an element lead to, itself first. A table comes once
  /// for each path to it.
  [[nodiscard]] const std::vector<std::size_t>& ends(std::size_t table) const {
    return tables_[table].ends;
  }
  /// The place of the element at the end of such a path.
  [[nodiscard]] std::int64_t end(const Features& f, std::size_t table, std::size_t path,
                                 std::size_t row, std::int64_t place) const {
    return follow(f, tables_[table].paths[path], table, row, place);
  }
  /// The path leads to or through another table.
  [[nodiscard]] bool leads_through(std::size_t table, std::size_t path, std::size_t other) const;

  /// A group whose elements refer to two elements of another one, such as edges to nodes.
  struct Graph {
    std::size_t edges, nodes;
    Field<std::int32_t> first, second;
  };
  [[nodiscard]] std::vector<Graph> graphs() const;

  /// One-hot inputs, and how many of them are 1.
  struct OneHot {
    std::int64_t inputs = 0, values = 0;
    OneHot& operator+=(const OneHot& o) {
      inputs += o.inputs;
      values += o.values;
      return *this;
    }
  };
  /// Those of an element and of all that its references lead to.
  [[nodiscard]] OneHot reach_categories(std::size_t table) const;
  [[nodiscard]] OneHot context_categories() const;
  /// Adds them to the list of a row, as inputs from `base` on.
  void list(const Features&, std::size_t table, std::size_t row, std::int64_t place,
            std::int64_t base, std::int64_t to_row, CategoryLists&) const;
  /// Adds those of the context of every row likewise.
  void list_context(const Features&, std::int64_t base, CategoryLists&) const;

  /// All elements of a table, each with what its references lead to.
  struct Reach {
    at::Tensor features;  ///< [n, reach_width]
    CategoryLists categories{};
  };
  [[nodiscard]] Reach reach(const Features&, std::size_t table) const;

  /// One normaliser per table and one of the row, in this order.
  [[nodiscard]] const std::vector<std::shared_ptr<Normaliser>>& normalisers() const noexcept {
    return normalisers_;
  }
  void observe(const Batch&);

 private:
  struct Link {
    Field<std::int32_t> leaf;
    std::size_t table;
  };
  struct Table {
    std::string name;
    LeafMatrix matrix;
    CategoryLeaves categories;
    GroupId group;        // -1: of a head
    std::int64_t values;  // of a head: elements per row
    std::vector<Link> links;
    std::vector<std::vector<Link>> paths{};  // to all that an element leads to, itself included
    std::vector<std::size_t> ends{};         // of the paths
    std::int64_t reach = 0;
  };

  void add_groups(const Spec&);
  void add_heads(const Spec&, const Heads&);
  void add_paths(std::size_t table);
  void add_context(Features&, const at::Tensor& row) const;
  /// The element that a path leads to.
  [[nodiscard]] std::int64_t follow(const Features&, const std::vector<Link>& path,
                                    std::size_t table, std::size_t row, std::int64_t place) const;

  std::vector<Table> tables_;
  std::vector<LeafMatrix> row_;                 // one
  std::vector<CategoryLeaves> row_categories_;  // one
  std::vector<std::int32_t> of_head_;           // [heads]
  std::vector<std::int64_t> split_;             // widths of leaves of the row that belong to heads
  std::vector<std::shared_ptr<Normaliser>> normalisers_;
  std::int64_t context_width_ = 0;
};

}  // namespace park::agents
