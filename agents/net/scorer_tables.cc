// Tables of features from an observation. The constructor makes a table per group, per categorical
// head with leaves of its width, and one of the row, and finds the paths along which elements refer to
// others. `of` fills the tables for a batch; write and list then give the features and the categories
// of an element with all that it leads to. The network scorer calls them.
#include "agents/net/scorer_tables.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace park::agents {
namespace {

bool any(const Leaf&) { return true; }

/// The leaf refers from each element to one element.
bool is_link(const Leaf& leaf) {
  return !leaf.group.empty() && !leaf.index_of.empty() && leaf.width() == 1 && !leaf.informative();
}

}  // namespace

ScorerTables::ScorerTables(const Spec& spec, const Heads& heads) : of_head_(heads.size(), -1) {
  add_groups(spec);
  add_heads(spec, heads);
  const auto of_row = [this](const Leaf& leaf) {
    return std::ranges::find(split_, static_cast<std::int64_t>(leaf.width())) == split_.end();
  };
  row_.emplace_back(spec.observation, "", of_row);
  row_categories_.emplace_back(spec.observation, "", of_row);
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    add_paths(t);
    context_width_ += tables_[t].matrix.width() + 1;
    normalisers_.push_back(std::make_shared<Normaliser>(tables_[t].matrix.width()));
  }
  context_width_ += row_[0].width();
  normalisers_.push_back(std::make_shared<Normaliser>(row_[0].width()));
}

void ScorerTables::add_groups(const Spec& spec) {
  const Batch observation(spec.observation);
  const auto& groups = spec.observation.groups;
  for (const Group& g : groups)
    tables_.push_back({.name = g.name,
                       .matrix = LeafMatrix(spec.observation, g.name, any),
                       .categories = CategoryLeaves(spec.observation, g.name, any),
                       .group = observation.group(g.name),
                       .values = 0,
                       .links = {}});
  for (const Leaf& leaf : spec.observation.leaves) {
    if (!is_link(leaf)) continue;
    const auto number = [&](const std::string& name) {
      return static_cast<std::size_t>(std::ranges::find(groups, name, &Group::name) -
                                      groups.begin());
    };
    tables_[number(leaf.group)].links.push_back(
        {observation.field<std::int32_t>(leaf.name), number(leaf.index_of)});
  }
}

void ScorerTables::add_heads(const Spec& spec, const Heads& heads) {
  const auto& groups = spec.observation.groups;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    if (heads[h].kind == HeadKind::index)
      of_head_[h] = static_cast<std::int32_t>(
          std::ranges::find(groups, heads[h].group, &Group::name) - groups.begin());
    if (heads[h].kind != HeadKind::categorical || heads[h].values < 2) continue;
    const std::int64_t k = heads[h].values;
    const auto per_value = [k](const Leaf& leaf) {
      return static_cast<std::int64_t>(leaf.width()) == k;
    };
    LeafMatrix matrix(spec.observation, "", per_value, k);
    CategoryLeaves of_values(spec.observation, "", per_value, k);
    if (matrix.width() == 0 && of_values.inputs() == 0) continue;
    of_head_[h] = static_cast<std::int32_t>(tables_.size());
    split_.push_back(k);
    tables_.push_back({.name = "of_" + heads[h].name,
                       .matrix = std::move(matrix),
                       .categories = std::move(of_values),
                       .group = {},
                       .values = k,
                       .links = {}});
  }
}

/// Breadth first; no path leads through a table twice.
void ScorerTables::add_paths(std::size_t table) {
  auto& paths = tables_[table].paths;
  paths.emplace_back();
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const std::size_t end = paths[p].empty() ? table : paths[p].back().table;
    tables_[table].ends.push_back(end);
    tables_[table].reach += tables_[end].matrix.width();
    for (const Link& link : tables_[end].links) {
      if (link.table == table) continue;
      if (std::ranges::find(paths[p], link.table, &Link::table) != paths[p].end()) continue;
      std::vector<Link> longer = paths[p];
      longer.push_back(link);
      paths.push_back(std::move(longer));
    }
  }
}

std::int64_t ScorerTables::follow(const Features& f, const std::vector<Link>& path,
                                  std::size_t table, std::size_t row, std::int64_t place) const {
  std::size_t end = table;
  for (const Link& link : path) {
    const auto local = static_cast<std::size_t>(place - f.offsets[end][row]);
    end = link.table;
    place = f.offsets[end][row] + f.batch->row(row)[link.leaf][local];
  }
  return place;
}

float* ScorerTables::write(const Features& f, std::size_t table, std::size_t row,
                           std::int64_t place, float* to) const {
  for (std::size_t p = 0; p < ends(table).size(); ++p)
    to = write_own(f, ends(table)[p], end(f, table, p, row, place), to);
  return to;
}

float* ScorerTables::write_own(const Features& f, std::size_t table, std::int64_t place,
                               float* to) const {
  return std::copy_n(f.tables[table].data_ptr<float>() + place * width(table), width(table), to);
}

bool ScorerTables::leads_through(std::size_t table, std::size_t path, std::size_t other) const {
  return std::ranges::find(tables_[table].paths[path], other, &Link::table) !=
         tables_[table].paths[path].end();
}

std::vector<ScorerTables::Graph> ScorerTables::graphs() const {
  std::vector<Graph> all;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const std::vector<Link>& links = tables_[t].links;
    for (std::size_t a = 0; a < links.size(); ++a) {
      const std::size_t nodes = links[a].table;
      const auto to_same = [&](const Link& l) { return l.table == nodes; };
      const auto later = links.begin() + static_cast<std::ptrdiff_t>(a) + 1;
      const auto b = std::find_if(later, links.end(), to_same);
      const bool first = std::none_of(links.begin(), later - 1, to_same);
      if (nodes != t && first && b != links.end())
        all.push_back({t, nodes, links[a].leaf, b->leaf});
    }
  }
  return all;
}

ScorerTables::OneHot ScorerTables::reach_categories(std::size_t table) const {
  OneHot all;
  for (const std::size_t end : ends(table)) {
    const CategoryLeaves& c = tables_[end].categories;
    all += {c.inputs(), c.values()};
  }
  return all;
}

ScorerTables::OneHot ScorerTables::context_categories() const {
  OneHot all{row_categories_[0].inputs(), row_categories_[0].values()};
  for (const Table& t : tables_) all += {t.categories.inputs(), t.categories.values()};
  return all;
}

void ScorerTables::list(const Features& f, std::size_t table, std::size_t row, std::int64_t place,
                        std::int64_t base, std::int64_t to_row, CategoryLists& to) const {
  for (std::size_t p = 0; p < ends(table).size(); ++p) {
    const std::size_t led = ends(table)[p];
    const CategoryLeaves& c = tables_[led].categories;
    if (c.inputs() == 0) continue;
    const std::int64_t first = end(f, table, p, row, place) * c.values();
    for (std::int64_t v = 0; v < c.values(); ++v) {
      const std::int64_t input = f.categories[led][static_cast<std::size_t>(first + v)];
      to.add(to_row, input < 0 ? -1 : base + input);
    }
    base += c.inputs();
  }
}

ScorerTables::Reach ScorerTables::reach(const Features& f, std::size_t table) const {
  const auto& offsets = f.offsets[table];
  Reach all{at::empty({offsets.back(), reach_width(table)})};
  all.categories.rows = offsets.back();
  float* to = all.features.data_ptr<float>();
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
    for (std::int64_t e = offsets[r]; e < offsets[r + 1]; ++e) {
      to = write(f, table, r, e, to);
      list(f, table, r, e, 0, e, all.categories);
    }
  return all;
}

void ScorerTables::list_context(const Features& f, std::int64_t base, CategoryLists& to) const {
  const auto rows = static_cast<std::int64_t>(f.batch->rows());
  const auto add = [&](std::int64_t row, std::int64_t input, float amount) {
    to.add(row, input < 0 ? -1 : base + input, amount);
  };
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const std::int64_t values = tables_[t].categories.values();
    for (std::int64_t r = 0; r < rows && values > 0; ++r) {
      const auto at = static_cast<std::size_t>(r);
      const std::int64_t begin = f.offsets[t][at], end = f.offsets[t][at + 1];
      for (std::int64_t i = begin * values; i < end * values; ++i)
        add(r, f.categories[t][static_cast<std::size_t>(i)], 1 / static_cast<float>(end - begin));
    }
    base += tables_[t].categories.inputs();
  }
  const std::int64_t values = row_categories_[0].values();
  for (std::int64_t i = 0; i < rows * values; ++i)
    add(i / values, f.categories.back()[static_cast<std::size_t>(i)], 1);
}

ScorerTables::Features ScorerTables::of(const Batch& batch) const {
  Features f;
  f.batch = &batch;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    f.tables.push_back(normalisers_[t]->apply(table.matrix.of(batch)));
    f.categories.push_back(table.categories.of(batch));
    auto& offsets = f.offsets.emplace_back();
    if (table.group.id >= 0) {
      const auto of_group = batch.offsets(table.group);
      offsets.assign(of_group.begin(), of_group.end());
    } else {
      for (std::size_t r = 0; r <= batch.rows(); ++r)
        offsets.push_back(static_cast<std::int64_t>(r) * table.values);
    }
  }
  f.categories.push_back(row_categories_[0].of(batch));
  add_context(f, normalisers_.back()->apply(row_[0].of(batch)));
  return f;
}

void ScorerTables::add_context(Features& f, const at::Tensor& row) const {
  f.context = at::zeros({row.size(0), context_width_});
  float* to = f.context.data_ptr<float>();
  for (std::int64_t r = 0; r < row.size(0); ++r) {
    to = std::copy_n(row.data_ptr<float>() + r * row.size(1), row.size(1), to);
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      const auto at = static_cast<std::size_t>(r);
      const std::int64_t begin = f.offsets[t][at], n = f.offsets[t][at + 1] - begin;
      const std::int64_t width = tables_[t].matrix.width();
      const float* from = f.tables[t].data_ptr<float>() + begin * width;
      for (std::int64_t i = 0; i < n * width; ++i) to[i % width] += from[i];
      for (std::int64_t i = 0; i < width && n > 0; ++i) to[i] /= static_cast<float>(n);
      to += width;
      *to++ = std::log1p(static_cast<float>(n));
    }
  }
}

void ScorerTables::observe(const Batch& batch) {
  for (std::size_t t = 0; t < tables_.size(); ++t)
    normalisers_[t]->observe(tables_[t].matrix.of(batch));
  normalisers_.back()->observe(row_[0].of(batch));
}

}  // namespace park::agents
