// The policy `tree`: a file is read and bound to a spec, a HeadPlan per head. Rows are decided one
// after the other, head by head, because later heads depend on earlier ones.
#include "park/trees/tree_policy.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "park/core/data_path.h"
#include "park/core/error.h"
#include "park/files/read.h"

namespace park::trees {

namespace fs = std::filesystem;

namespace {

std::vector<Derived> derived_of(const TreeFile& file, const std::string& name, const Spec& spec) {
  std::vector<Derived> all;
  for (const DerivedLine& d : file.features) {
    try {
      check_names(spec, d.feature, all);
    } catch (const Error& e) {
      throw Error(Errc::bad_file, name + ':' + std::to_string(d.line) + ": " + e.what());
    }
    all.push_back(d.feature);
  }
  return all;
}

std::string head_names(const Heads& heads) {
  std::string all;
  for (std::size_t h = 0; h < heads.size(); ++h) all += (h == 0 ? "" : ", ") + heads[h].name;
  return all;
}

}  // namespace

TreeFile read_tree_file(const std::string& path) {
  return parse_tree_file(files::read_whole(path, kMostTreeFile), path);
}

void check_layout(const TreeFile& file, const std::string& name, const Spec& spec) {
  if (file.layout == layout_text(spec)) return;
  throw Error(Errc::bad_file, name + ':' + std::to_string(file.layout_line) +
                                  ": is for the layout " + file.layout + " of " + file.env + "; " +
                                  spec.name + " has the layout " + layout_text(spec));
}

TreePolicy::TreePolicy(const TreeConfig& config, const Spec& spec)
    : TreePolicy(
          [&] {
            if (config.file.empty())
              throw Error(Errc::invalid_config, "file: is required, such as tree(file=my.tree)");
            return read_tree_file(config.file);
          }(),
          config.file, spec) {}

TreePolicy::TreePolicy(const TreeFile& file, const std::string& name, const Spec& spec)
    : heads_(spec), space_(spec) {
  check_layout(file, name, spec);
  const std::vector<Derived> derived = derived_of(file, name, spec);
  for (const HeadTrees& h : file.heads)
    if (spec.action.find(h.name) == nullptr)
      throw Error(Errc::bad_file, name + ':' + std::to_string(h.line) + ": there is no head '" +
                                      h.name + "'; it is " + head_names(heads_));
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    const Heads::Head& head = heads_[h];
    const auto trees = std::ranges::find(file.heads, head.name, &HeadTrees::name);
    if (trees != file.heads.end())
      plans_.push_back(std::make_unique<HeadPlan>(spec, heads_, h, *trees, derived, name));
    else if (head.kind == HeadKind::categorical && head.values == 1)
      plans_.push_back(nullptr);
    else
      throw Error(Errc::bad_file, name + ": head '" + head.name + "' is missing");
  }
}

void list_values(const ActionSpace::Choice& choice, std::vector<std::int32_t>& out) {
  out.clear();
  if (choice.low > choice.high) return;
  if (choice.mask.empty()) {
    out.resize(static_cast<std::size_t>(choice.high - choice.low + 1));
    std::iota(out.begin(), out.end(), static_cast<std::int32_t>(choice.low));
    return;
  }
  for (std::int64_t v = choice.low; v <= choice.high; ++v)
    if (choice.contains(v)) out.push_back(static_cast<std::int32_t>(v));
}

void TreePolicy::decide(std::size_t head, ConstRow observation, Row action) {
  HeadPlan* const plan = plans_[head].get();
  if (heads_[head].kind == HeadKind::continuous) {
    const auto low = static_cast<float>(heads_[head].low),
               high = static_cast<float>(heads_[head].high);
    candidates_.clear();
    for (std::size_t k = 0; k < heads_[head].width; ++k) {
      const float v = plan->number(observation, action, candidates_, k);
      heads_.real(action, head)[k] = std::clamp(v, low, high);
    }
    return;
  }
  list_values(space_.choice(head, observation, action), candidates_);
  const bool free = plan != nullptr && candidates_.size() > 1;
  heads_.set(action, head, candidates_[free ? plan->choose(observation, action, candidates_) : 0]);
}

void TreePolicy::act(const Decisions& d, Batch& actions) {
  for (std::size_t r = 0; r < d.asked.size(); ++r)
    for (std::size_t h = 0; h < heads_.size(); ++h) decide(h, d.observation.row(r), actions.row(r));
}

bool TreePolicy::scores(const Batch& observation, std::size_t head, const Batch& actions,
                        Candidates& candidates, std::vector<float>& scores) {
  if (heads_[head].kind == HeadKind::continuous) return false;
  heads_.candidates(head, observation, actions, candidates);
  scores.assign(candidates.size(), 0);
  if (plans_[head] == nullptr) return true;
  for (std::size_t r = 0; r < candidates.rows(); ++r) {
    const auto begin = static_cast<std::size_t>(candidates.offsets[r]);
    const auto n = static_cast<std::size_t>(candidates.count(r));
    if (n == 0) continue;
    plans_[head]->score(observation.row(r), actions.row(r),
                        std::span(candidates.value).subspan(begin, n),
                        std::span(scores).subspan(begin, n));
  }
  return true;
}

namespace {

constexpr const char* kSuffix = ".tree";

/// Where the trees lie that come with Park; without its data there are none.
fs::path bundled_folder() {
  try {
    return data_dir() / "trees";
  } catch (const Error&) {
    return {};
  }
}

/// The file of a tree that comes with Park.
std::optional<fs::path> bundled(const std::string& name) {
  if (name.find('/') != std::string::npos || name.starts_with('.')) return {};
  fs::path file = bundled_folder() / (name + kSuffix);
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return {};
  return file;
}

std::vector<PolicyInfo> bundled_policies(const Spec& spec) {
  std::vector<PolicyInfo> all;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(bundled_folder(), none)) {
    if (entry.path().extension() != kSuffix) continue;
    const TreeFile tree = read_tree_file(entry.path().string());
    if (tree.layout != layout_text(spec)) continue;
    all.push_back({.name = entry.path().stem().string(), .summary = "tree of " + tree.teacher});
  }
  std::ranges::sort(all, {}, &PolicyInfo::name);
  return all;
}

/// Without fields.
struct BundledConfig {
  bool operator==(const BundledConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self&, Visit&&) {}
};

}  // namespace

void register_policies(Registry& registry) {
  const auto is_tree = [](const std::string& name) { return name == "tree"; };
  registry.add_policy_loader(
      {.takes = is_tree,
       .fields = &field_infos<TreeConfig>,
       .make = [](const Value& text, const Spec& spec) -> std::unique_ptr<Policy> {
         return std::make_unique<TreePolicy>(parse_config<TreeConfig>(text), spec);
       },
       .bundled = is_tree,
       .files = [](const Value& text) -> std::vector<fs::path> {
         return {parse_config<TreeConfig>(text).file};
       }});
  const auto is_bundled = [](const std::string& name) { return bundled(name).has_value(); };
  registry.add_policy_loader(
      {.takes = is_bundled,
       .fields = &field_infos<BundledConfig>,
       .make = [](const Value& text, const Spec& spec) -> std::unique_ptr<Policy> {
         static_cast<void>(parse_config<BundledConfig>(text));
         const std::string file = bundled(text.text).value_or(text.text).string();
         return std::make_unique<TreePolicy>(read_tree_file(file), file, spec);
       },
       .bundled = is_bundled,
       .files = [](const Value& text) -> std::vector<fs::path> {
         return {bundled(text.text).value_or(text.text)};
       },
       .listed = &bundled_policies});
}

}  // namespace park::trees
