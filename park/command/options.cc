#include "park/command/options.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "park/command/strings.h"

namespace park::command {
namespace {

std::string quoted(const std::string& text) { return '"' + text + '"'; }

/// Reads an integer of a range, or adds what is wrong with the text.
std::optional<std::uint64_t> integer_of(const std::string& name, const std::string& text,
                                        Range range, Violations& wrong) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool good = error == std::errc() && end == text.data() + text.size() &&
                    number >= range.min && number <= range.max;
  if (good) return number;
  wrong.add(name + ": " + quoted(text) + " is not an integer from " + std::to_string(range.min) +
            " to " + std::to_string(range.max));
  return {};
}

}  // namespace

void Options::flag(std::string name, bool& target, std::string doc) {
  options_.push_back({.name = std::move(name),
                      .placeholder = "",
                      .doc = std::move(doc),
                      .default_text = "",
                      .set = [&target](const auto&, Violations&) { target = true; }});
}

void Options::text(std::string name, std::string placeholder, std::string& target, std::string doc,
                   Need need) {
  auto set = [name, &target](const std::vector<std::string>& given, Violations& wrong) {
    if (given.back().empty()) wrong.add(name + ": must not be empty");
    target = given.back();
  };
  options_.push_back({.name = std::move(name),
                      .placeholder = std::move(placeholder),
                      .doc = std::move(doc),
                      .default_text = target,
                      .required = need == Need::required,
                      .set = std::move(set)});
}

void Options::texts(std::string name, std::vector<std::string>& target, std::string doc,
                    Need need) {
  texts(std::move(name), "", target, std::move(doc));
  options_.back().required = need == Need::required;
}

void Options::texts(std::string name, std::string placeholder, std::vector<std::string>& target,
                    std::string doc) {
  auto set = [name, &target](const std::vector<std::string>& given, Violations& wrong) {
    if (std::find(given.begin(), given.end(), "") != given.end())
      wrong.add(name + ": must not be empty");
    target = given;
  };
  options_.push_back({.name = std::move(name),
                      .placeholder = std::move(placeholder),
                      .doc = std::move(doc),
                      .default_text = "",
                      .many = true,
                      .set = std::move(set)});
}

void Options::integer(std::string name, std::string placeholder, std::uint64_t& target, Range range,
                      std::string doc) {
  auto set = [name, &target, range](const std::vector<std::string>& given, Violations& wrong) {
    target = integer_of(name, given.back(), range, wrong).value_or(target);
  };
  options_.push_back({.name = std::move(name),
                      .placeholder = std::move(placeholder),
                      .doc = std::move(doc),
                      .default_text = std::to_string(target),
                      .set = std::move(set)});
}

void Options::integer(std::string name, std::string placeholder,
                      std::optional<std::uint64_t>& target, Range range, std::string doc) {
  auto set = [name, &target, range](const std::vector<std::string>& given, Violations& wrong) {
    target = integer_of(name, given.back(), range, wrong);
  };
  options_.push_back({.name = std::move(name),
                      .placeholder = std::move(placeholder),
                      .doc = std::move(doc),
                      .default_text = "",
                      .set = std::move(set)});
}

void Options::choice(std::string name, std::string& target, std::vector<std::string> choices,
                     std::string doc) {
  std::string placeholder = joined(choices, "|");
  auto set = [name, &target, choices = std::move(choices)](const std::vector<std::string>& given,
                                                           Violations& wrong) {
    if (std::find(choices.begin(), choices.end(), given.back()) != choices.end())
      target = given.back();
    else
      wrong.add(name + ": " + quoted(given.back()) + " is not " + alternatives(choices));
  };
  options_.push_back({.name = std::move(name),
                      .placeholder = std::move(placeholder),
                      .doc = std::move(doc),
                      .default_text = target,
                      .set = std::move(set)});
}

}  // namespace park::command
