#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "park/core/config.h"
#include "park/core/text.h"
#include "park/runs/training_texts.h"

namespace park::agents {

// A training is made of parts: a network, a baseline, an algorithm. Each part is one file with its
// fields, and that file's register function adds it to the list of its kind.

/// The author's description of a part.
struct PartWords {
  std::string summary{}, reference{};
  int place = 0;              ///< in lists: ascending, equal ones by name
  std::uint64_t version = 1;  ///< of a network: rises when its weights come to mean something else
  std::vector<std::string> former_names{};  ///< names in files of earlier versions
  bool any_lengths = false;                 ///< as in PartInfo
};

/// What lists and texts need of a part.
struct PartText {
  runs::PartInfo info{};
  int place = 0;
  /// The text with every field that differs from its default. Throws Error{invalid_config}.
  std::string (*canonical)(const Value&) = nullptr;
};

/// The description of a part whose fields are those of C and whose name is C::kName.
template <Config C>
[[nodiscard]] PartText part_text(PartWords words) {
  return {.info = {C::kName, std::move(words.summary), std::move(words.reference), field_infos<C>(),
                   words.version, std::move(words.former_names), words.any_lengths},
          .place = words.place,
          .canonical = [](const Value& text) {
            return to_text(park::canonical(C::kName, parse_config<C>(text)));
          }};
}

/// The parts of one kind. P has a PartText as `about`, and what makes the part.
template <class P>
class Parts {
 public:
  /// `kind` is what errors call a part; `fill` adds the first ones.
  explicit Parts(std::string kind, void (*fill)(Parts&) = nullptr) : kind_(std::move(kind)) {
    if (fill != nullptr) fill(*this);
  }

  /// Throws Error{invalid_config} if a name is taken.
  void add(P part) {
    check_free(part.about.info.name);
    for (const std::string& name : part.about.info.former_names) check_free(name);
    const auto before = [](const P& a, const P& b) {
      return std::tie(a.about.place, a.about.info.name) <
             std::tie(b.about.place, b.about.info.name);
    };
    const auto at = std::upper_bound(all_.begin(), all_.end(), part, before);
    all_.insert(at, std::move(part));
  }

  [[nodiscard]] const std::vector<P>& all() const noexcept { return all_; }
  [[nodiscard]] std::vector<runs::PartInfo> infos() const {
    std::vector<runs::PartInfo> list;
    for (const P& part : all_) list.push_back(part.about.info);
    return list;
  }

  /// Throws Error{unknown_name}; for a former name the line gives the present one.
  [[nodiscard]] const P& find(std::string_view name) const {
    std::vector<std::string> names;
    for (const P& part : all_) {
      const runs::PartInfo& info = part.about.info;
      if (info.name == name) return part;
      if (was_called(info, name))
        throw Error(Errc::unknown_name,
                    kind_ + " '" + std::string(name) + "' is called '" + info.name + "'");
      names.push_back(info.name);
    }
    fail_unknown(kind_, name, names);
  }

 private:
  void check_free(const std::string& name) const {
    for (const P& part : all_)
      if (part.about.info.name == name || was_called(part.about.info, name))
        throw Error(Errc::invalid_config, kind_ + " '" + name + "' is registered twice");
  }

  std::string kind_;
  std::vector<P> all_;
};

}  // namespace park::agents
