#include "park/files/json_fields.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace park::files {
namespace {

const Json kNull;

bool is_natural(const Json& j) { return j.is_number_unsigned(); }
bool is_number(const Json& j) { return j.is_number() || j.is_null(); }

bool all(const Json& j, bool (*is)(const Json&)) {
  return j.is_array() && std::all_of(j.begin(), j.end(), is);
}

}  // namespace

Json parse_document(std::string_view text, const std::string& file, std::string_view schema,
                    int version) {
  const auto refuse = [&](const std::string& why) -> Json {
    throw Error(Errc::bad_file, file + ": " + why);
  };
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) return refuse("is no JSON object");
  const Json found = json.value("schema", Json());
  if (found != std::string(schema))
    return refuse("its schema is " + found.dump() + ", not \"" + std::string(schema) + '"');
  const Json number = json.value("version", Json());
  if (!number.is_number_unsigned()) return refuse("version: is missing or no whole number");
  if (number.get<std::uint64_t>() > static_cast<std::uint64_t>(version))
    return refuse("version " + number.dump() + " is newer than " + std::to_string(version) +
                  ", which this program reads");
  return json;
}

JsonFields::JsonFields(const Json& json, std::string where, Violations& wrong)
    : json_(&json), where_(std::move(where)), wrong_(&wrong) {
  if (json.is_object()) return;
  wrong.add(where_ + ": is no object");
  json_ = &kNull;
}

const Json* JsonFields::find(const char* key, bool (*is)(const Json&), const char* kind) {
  asked_.emplace_back(key);
  if (!json_->is_object()) return nullptr;  // reported
  const auto at = json_->find(key);
  if (at == json_->end()) {
    if (!optional_) wrong_->add(where_ + '.' + key + ": is missing; it is " + kind);
    return nullptr;
  }
  if (is(*at)) return &*at;
  wrong_->add(where_ + '.' + key + ": is not " + kind);
  return nullptr;
}

void JsonFields::take(const char* key, std::string& to) {
  if (const Json* j = find(
          key, [](const Json& x) { return x.is_string(); }, "a text"))
    to = j->get<std::string>();
}

void JsonFields::take(const char* key, std::vector<std::string>& to) {
  const auto is = [](const Json& x) { return all(x, [](auto& e) { return e.is_string(); }); };
  if (const Json* j = find(key, is, "a list of texts")) to = j->get<std::vector<std::string>>();
}

void JsonFields::take(const char* key, bool& to) {
  if (const Json* j = find(
          key, [](const Json& x) { return x.is_boolean(); }, "true or false"))
    to = j->get<bool>();
}

void JsonFields::take(const char* key, std::uint64_t& to) {
  if (const Json* j = find(key, is_natural, "a whole number that is not negative"))
    to = j->get<std::uint64_t>();
}

void JsonFields::take(const char* key, double& to) {
  if (const Json* j = find(key, is_number, "a number or null")) to = number_of(*j);
}

void JsonFields::take(const char* key, std::vector<double>& to) {
  const Json* j = find(
      key, [](const Json& x) { return all(x, is_number); }, "a list of numbers or nulls");
  if (j == nullptr) return;
  to.clear();
  for (const Json& one : *j) to.push_back(number_of(one));
}

void JsonFields::take(const char* key, std::vector<std::uint64_t>& to) {
  const auto is = [](const Json& x) { return all(x, is_natural); };
  if (const Json* j = find(key, is, "a list of whole numbers"))
    to = j->get<std::vector<std::uint64_t>>();
}

const Json& JsonFields::array(const char* key) {
  const Json* j = find(
      key, [](const Json& x) { return x.is_array(); }, "a list");
  return j == nullptr ? kNull : *j;
}

const Json& JsonFields::object(const char* key) {
  const Json* j = find(
      key, [](const Json& x) { return x.is_object(); }, "an object");
  return j == nullptr ? kNull : *j;
}

void JsonFields::finish() {
  if (!json_->is_object()) return;
  for (const auto& [key, value] : json_->items())
    if (std::ranges::find(asked_, key) == asked_.end())
      wrong_->add(where_ + '.' + key + ": there is no such member");
}

double number_of(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

}  // namespace park::files
