#include "agents/net/scorer_tables.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace park::agents {
namespace {

bool any(const Leaf&) { return true; }

}  // namespace

ScorerTables::ScorerTables(const Spec& spec, const Heads& heads) : of_head_(heads.size(), -1) {
  add_groups(spec);
  add_heads(spec, heads);
  row_.emplace_back(spec.observation, "", [this](const Leaf& leaf) {
    return std::ranges::find(split_, static_cast<std::int64_t>(leaf.width())) == split_.end();
  });
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
                       .group = observation.group(g.name),
                       .values = 0,
                       .links = {}});
  for (const Leaf& leaf : spec.observation.leaves) {
    if (leaf.group.empty() || leaf.index_of.empty() || leaf.width() != 1 || leaf.informative())
      continue;
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
    LeafMatrix matrix(
        spec.observation, "",
        [k](const Leaf& leaf) { return static_cast<std::int64_t>(leaf.width()) == k; }, k);
    if (matrix.width() == 0) continue;
    of_head_[h] = static_cast<std::int32_t>(tables_.size());
    split_.push_back(k);
    tables_.push_back({.name = "of_" + heads[h].name,
                       .matrix = std::move(matrix),
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

float* ScorerTables::write(const Features& f, std::size_t table, std::size_t row,
                           std::int64_t place, float* to) const {
  for (const std::vector<Link>& path : tables_[table].paths) {
    std::size_t end = table;
    std::int64_t at = place;
    for (const Link& link : path) {
      const auto local = static_cast<std::size_t>(at - f.offsets[end][row]);
      end = link.table;
      at = f.offsets[end][row] + f.batch->row(row)[link.leaf][local];
    }
    const std::int64_t width = tables_[end].matrix.width();
    to = std::copy_n(f.tables[end].data_ptr<float>() + at * width, width, to);
  }
  return to;
}

ScorerTables::Features ScorerTables::of(const Batch& batch) const {
  Features f;
  f.batch = &batch;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    f.tables.push_back(normalisers_[t]->apply(table.matrix.of(batch)));
    auto& offsets = f.offsets.emplace_back();
    if (table.group.id >= 0) {
      const auto of_group = batch.offsets(table.group);
      offsets.assign(of_group.begin(), of_group.end());
    } else {
      for (std::size_t r = 0; r <= batch.rows(); ++r)
        offsets.push_back(static_cast<std::int64_t>(r) * table.values);
    }
  }
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
