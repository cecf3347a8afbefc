// Documents in JSON, whole. DocumentParser builds the values while the parser reads, and turns its
// errors into one line with the number of the line in the file. JsonFields then takes members out of
// an object and collects what is wrong with them; finish names those that nobody took. Readers of
// suites and results call it.
#include "park/files/json_fields.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "park/files/json_complaint.h"

namespace park::files {
namespace {

const Json kNull;

bool is_natural(const Json& j) { return j.is_number_unsigned(); }
bool is_number(const Json& j) { return j.is_number() || j.is_null(); }

bool all(const Json& j, bool (*is)(const Json&)) {
  return j.is_array() && std::all_of(j.begin(), j.end(), is);
}

/// "FILE:LINE: " of a place in its text.
std::string at_line(const std::string& file, std::string_view text, std::size_t place) {
  const std::string_view before = text.substr(0, place);
  return file + ':' + std::to_string(1 + std::ranges::count(before, '\n')) + ": ";
}

/// Builds the values of a text. Its errors name the line of what it could not read.
class DocumentParser : public nlohmann::detail::json_sax_dom_parser<Json> {
  using Base = nlohmann::detail::json_sax_dom_parser<Json>;
  static constexpr int kMaxDepth = 64;  ///< comparing and writing values recurse

 public:
  DocumentParser(std::string_view text, const std::string& file, Json& to)
      : Base(to), text_(text), file_(file) {}

  bool start_object(std::size_t size) {
    enter();
    return Base::start_object(size);
  }
  bool end_object() {
    --depth_;
    return Base::end_object();
  }
  bool start_array(std::size_t size) {
    enter();
    return Base::start_array(size);
  }
  bool end_array() {
    --depth_;
    return Base::end_array();
  }
  /// `at` counts the bytes that were read, of which the last one is wrong.
  bool parse_error(std::size_t at, const std::string& last,
                   const nlohmann::detail::exception& error) {
    throw Error(Errc::bad_file, at_line(file_, text_, std::max<std::size_t>(at, 1) - 1) +
                                    json_complaint(error.what(), last));
  }

 private:
  void enter() {
    if (++depth_ > kMaxDepth)
      throw Error(Errc::bad_file, file_ + ": is nested deeper than " + std::to_string(kMaxDepth));
  }

  std::string_view text_;
  const std::string& file_;
  int depth_ = 0;
};

}  // namespace

Json parse_document(std::string_view text, const std::string& file, std::string_view schema,
                    int version) {
  const auto refuse = [&](const std::string& why) -> Json {
    throw Error(Errc::bad_file, file + ": " + why);
  };
  Json json;
  DocumentParser parser(text, file, json);
  if (!Json::sax_parse(text, &parser)) return refuse("is no JSON");
  if (!json.is_object())
    throw Error(Errc::bad_file,
                at_line(file, text, text.find_first_not_of(" \t\r\n")) + "is no JSON object");
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
  asked_.emplace(key);
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
    if (!asked_.contains(key)) wrong_->add(where_ + '.' + key + ": there is no such member");
}

double number_of(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

}  // namespace park::files
