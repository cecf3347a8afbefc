#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/trees/tree_file.h"

namespace park::trees {

/// What an environment adds to the features that follow from its spec: the file features.txt of its
/// folder. Its lines, besides comments:
///     without NAME {, NAME}              leaves that are not used: identities, absolute times;
///                                        derived features that only others are made of
///     ranks_of LEAF {, LEAF}             only their ranks are used
///     feature NAME = EXPRESSION          a derived feature
///     rule HEAD "REASON": CONDITIONS     a rule of trees that are made for a teacher
///     ties LEVEL EXPRESSION up|down ...  ties of a level of such trees
///     classes HEAD {, HEAD}              categorical heads whose value follows from the situation
///     have HEAD = EXPRESSION             interval heads: what is there before the choice, ...
///     most HEAD = EXPRESSION             ... and how much beyond that has an effect
///     separate NAME HEAD = EXPRESSION    a strategy that may give a head in place of trees
struct FeatureHints {
  std::vector<std::string> without{}, ranks_of{};
  std::set<std::string> classes{};
  std::vector<Derived> features{};
  std::vector<std::pair<std::string, Rule>> rules{};             ///< by head
  std::vector<std::pair<std::string, std::vector<Tie>>> ties{};  ///< by level
  std::map<std::string, Expression> have{}, most{};              ///< by head
  /// By strategy, then by head.
  std::map<std::string, std::map<std::string, Expression>> separate{};
};

/// Throws Error{bad_file} in one line "NAME:LINE: what is wrong".
[[nodiscard]] FeatureHints parse_feature_hints(std::string_view text, const std::string& name);

/// Whether a leaf or a derived feature is not to be used as it is.
[[nodiscard]] bool left_out(const FeatureHints&, const std::string& name);

/// The hints of an environment or of its twin; none where there is no file.
[[nodiscard]] FeatureHints hints_of(const Spec&);

/// The heads that a strategy gives, and how; none without a name. Throws Error{invalid_config} in one
/// line that names the strategies if there is no such one.
[[nodiscard]] std::map<std::string, Expression> separate_heads(const FeatureHints&,
                                                               const std::string& strategy,
                                                               const Spec&);

/// All features of a level that follow from the spec, and the derived ones that have a meaning
/// there. Left out are info.*, mask.*, references, and what the hints leave out.
[[nodiscard]] std::vector<Expression> feature_list(const Spec&, const Heads&, const Level&,
                                                   const FeatureHints&);

/// The levels in which a head is decided by default. They are the elements that the candidates of
/// an index head refer to, then the candidates. A head of numbers has a situation.
[[nodiscard]] std::vector<Level> default_levels(const Spec&, const Heads&, std::size_t head);

/// The name of a level in a file: the group whose elements are compared, or "values".
[[nodiscard]] std::string level_name(const Heads&, const Level&);

}  // namespace park::trees
