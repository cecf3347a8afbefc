#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/files/ordered_members.h"

namespace park::files {

/// A JSON value whose objects keep the order of their members.
using Json = nlohmann::basic_json<OrderedMembers>;

/// Parses a JSON object of a schema, at most of a version. Throws Error{bad_file} in one line, which
/// has the number of the line where the text is no JSON object.
[[nodiscard]] Json parse_document(std::string_view text, const std::string& file,
                                  std::string_view schema, int version);

/// Takes members out of a JSON object, checks their types, and collects what is wrong: members
/// that are missing, of another type, or unknown. For documents that fit into memory and have no
/// member that their reader does not know.
class JsonFields {
 public:
  /// `where` names the object in violations; it may be anything where `json` is no object.
  JsonFields(const Json& json, std::string where, Violations& wrong);

  void take(const char* key, std::string& to);
  void take(const char* key, std::vector<std::string>& to);
  void take(const char* key, bool& to);
  /// A whole number that is not negative.
  void take(const char* key, std::uint64_t& to);
  void take(const char* key, std::vector<std::uint64_t>& to);
  /// null is NaN.
  void take(const char* key, double& to);
  void take(const char* key, std::vector<double>& to);
  /// The member as it is; null if it is missing.
  const Json& array(const char* key);
  const Json& object(const char* key);
  /// Members from now on may be missing: the target keeps its value.
  JsonFields& optional(bool yes = true) {
    optional_ = yes;
    return *this;
  }
  /// A violation for each member that nobody asked for.
  void finish();
  [[nodiscard]] const std::string& where() const noexcept { return where_; }

 private:
  const Json* find(const char* key, bool (*is)(const Json&), const char* kind);

  const Json* json_;
  std::string where_;
  Violations* wrong_;
  std::set<std::string> asked_;
  bool optional_ = false;
};

/// The number of a JSON value; NaN for null.
[[nodiscard]] double number_of(const Json&);

}  // namespace park::files
