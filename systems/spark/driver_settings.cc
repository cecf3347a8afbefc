// What the plugin allows in the settings of an application, as its Scala sources have it: values as
// Settings.scala, endpoints as Reach.scala with Endpoint.java, and what keeps the executors from
// being sized as Sharing.scala and Allocation.scala.
#include "systems/spark/driver_settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace park::spark {
namespace {

constexpr std::string_view kPrefix = "spark.park.", kAgent = "spark.park.agent";
constexpr std::string_view kExecutors = "spark.park.executors", kMaster = "spark.master";
constexpr std::string_view kDynamic = "spark.dynamicAllocation.enabled";
constexpr const char* kEndsStart = ", which ends the application's start";

/// What a setting allows: one of some words, or a number or time from `least` to `most`.
struct Rule {
  enum class Kind { any, word, number, time };
  std::string_view name;
  Kind kind = Kind::any;
  std::int64_t least = 0, most = 0;
  std::string_view words{};  // "a, b or c"
};

constexpr std::array<Rule, 10> kRules = {
    {{.name = kAgent},
     {.name = "spark.park.decision.timeout", .kind = Rule::Kind::time, .least = 1, .most = 10'000},
     {.name = "spark.park.decision.mode", .kind = Rule::Kind::word, .words = "wait or async"},
     {.name = "spark.park.misses", .kind = Rule::Kind::number, .least = 1, .most = 1000},
     {.name = "spark.park.retry", .kind = Rule::Kind::time, .least = 10, .most = 600'000},
     {.name = "spark.park.settle", .kind = Rule::Kind::time, .least = 0, .most = 1000},
     {.name = "spark.park.key"},
     {.name = "spark.park.loopback", .kind = Rule::Kind::word, .words = "false or true"},
     {.name = "spark.park.executors", .kind = Rule::Kind::word, .words = "spark, policy or shared"},
     {.name = "spark.park.executors.idle",
      .kind = Rule::Kind::time,
      .least = 100,
      .most = 600'000}}};

/// The digits at the beginning of a text, which go from it.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<std::int64_t> number_of(std::string_view text) {
  const auto value = take_number(text);
  return text.empty() ? value : std::nullopt;
}

/// As Spark reads a time, in milliseconds.
std::optional<std::int64_t> milliseconds_of(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t ms;
  };
  constexpr std::array<Unit, 7> kUnits = {{{"", 1},
                                           {"ms", 1},
                                           {"s", 1000},
                                           {"m", 60'000},
                                           {"min", 60'000},
                                           {"h", 3'600'000},
                                           {"d", 86'400'000}}};
  constexpr std::int64_t kMost = 1'000'000'000;  // beyond every rule
  const auto value = take_number(text);
  if (!value || *value < 0) return std::nullopt;
  std::string unit(text);
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return std::tolower(c); });
  if (unit == "us") return *value / 1000;
  const auto* const known = std::ranges::find(kUnits, unit, &Unit::name);
  if (known == kUnits.end()) return std::nullopt;
  return std::min(*value, kMost) * known->ms;
}

bool is_one_of(std::string_view text, std::string_view words) {
  for (const std::string_view between : {", ", " or "})
    if (const std::size_t at = words.find(between); at != std::string_view::npos)
      return text == words.substr(0, at) || is_one_of(text, words.substr(at + between.size()));
  return text == words;
}

/// What a value has to be; empty: it is that.
std::string wanted(const Rule& rule, std::string_view text) {
  const bool time = rule.kind == Rule::Kind::time;
  if (rule.kind == Rule::Kind::any) return "";
  if (rule.kind == Rule::Kind::word)
    return is_one_of(text, rule.words) ? "" : std::string(rule.words);
  const auto value = time ? milliseconds_of(text) : number_of(text);
  if (value && *value >= rule.least && *value <= rule.most) return "";
  const std::string unit = time ? "ms" : "";
  return (time ? "a time of " : "") + std::to_string(rule.least) + unit + " to " +
         std::to_string(rule.most) + unit;
}

/// Why the plugin cannot connect to an endpoint; empty: it can, or it is the path of a file.
std::string refusal_of(std::string_view agent) {
  constexpr std::string_view kTcp = "tcp://", kAllowed = "; allowed is tcp://HOST:PORT";
  if (agent.find("://") == std::string_view::npos) return "";
  const std::string text(agent);
  if (agent.starts_with("ipc://"))
    return text + " is a socket file, which Java cannot open" + std::string(kAllowed);
  const std::size_t colon = agent.rfind(':');
  const bool is_tcp =
      agent.starts_with(kTcp) && colon > kTcp.size() &&
      agent.substr(kTcp.size(), colon - kTcp.size()).find_first_of(":/ \t\n\v\f\r") ==
          std::string_view::npos;
  const std::string_view port = agent.substr(colon + 1);
  const auto number = number_of(port);
  if (!is_tcp || (port != "*" && (!number || *number < 0 || port.size() > 5)))
    return "\"" + text + "\" is none" + std::string(kAllowed);
  if (port == "*") return "\"" + text + "\" has no port" + std::string(kAllowed);
  return *number >= 1 && *number <= 65'535 ? "" : "the port of " + text + " is not in 1 to 65535";
}

/// The same for addresses that a container has for itself.
bool is_loopback(std::string_view agent) {
  return std::ranges::any_of(std::array{"tcp://127.", "tcp://localhost:", "tcp://0.0.0.0:"},
                             [&](const char* begin) { return agent.starts_with(begin); });
}

void check_agents(const DriverSettings& all, std::vector<std::string>& reasons) {
  const bool apart = value_of(all, "spark.submit.deployMode") == "cluster" &&
                     value_of(all, "spark.park.loopback") != "true";
  std::string agents;
  bool several = false;
  for (std::string_view rest = value_of(all, kAgent); !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view agent = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (agent.empty()) continue;
    several = !agents.empty();
    agents += (several ? ", " : "") + std::string(agent);
    if (const std::string why = refusal_of(agent); !why.empty())
      reasons.push_back(std::string(kAgent) + ": endpoint: " + why);
    else if (apart && is_loopback(agent))
      reasons.push_back(std::string(kAgent) + ": " + std::string(agent) +
                        " is the driver's own container in cluster mode");
  }
  if (several && value_of(all, kExecutors) == "shared")
    reasons.push_back(std::string(kAgent) + ": " + agents +
                      " is not allowed; it is one agent where spark.park.executors is shared" +
                      kEndsStart);
}

/// Why no executor goes: it would get no more tasks, but Spark would keep it.
std::string keeping_obstacle(const DriverSettings& all) {
  constexpr std::string_view kLeave = "spark.decommission.enabled";
  if (value_of(all, kLeave) != "false") return "";
  return std::string(kLeave) + ": false keeps executors that are given back";
}

/// Why an agent cannot share the executors of the application.
std::string sharing_obstacle(const DriverSettings& all) {
  const std::string_view master = value_of(all, kMaster);
  const auto or_else = [](std::string_view text, const char* other) {
    return text.empty() ? std::string(other) : std::string(text);
  };
  const bool by_url = master.starts_with("spark+park://");
  if (!master.empty() && !by_url && !master.starts_with("spark://"))
    return std::string(master) + " is none of a standalone cluster";
  if (value_of(all, kDynamic) == "true")
    return std::string(kDynamic) + ": Spark sizes the application already";
  // Under a plain master the plugin sets what is not set.
  const std::string cores =
      or_else(value_of(all, "spark.executor.cores"), by_url ? "not set" : "1");
  const std::string needed = or_else(value_of(all, "spark.task.cpus"), "1");
  if (cores == needed) return keeping_obstacle(all);
  return "executors need one slot, but spark.executor.cores is " + cores +
         " and spark.task.cpus is " + needed;
}

/// Why a policy cannot size the application.
std::string sizing_obstacle(const DriverSettings& all) {
  constexpr const char *kMost = "spark.dynamicAllocation.maxExecutors",
                       *kInstances = "spark.executor.instances";
  if (value_of(all, kDynamic) == "true")
    return std::string(kDynamic) + ": Spark sizes the application already";
  if (value_of(all, kMost).empty() && value_of(all, kInstances).empty())
    return std::string("neither ") + kMost + " nor " + kInstances + " is set";
  if (const std::string why = keeping_obstacle(all); !why.empty()) return why;
  const std::string_view master = value_of(all, kMaster);
  if (master == "local" || master.starts_with("local["))
    return std::string(master) + " cannot change them";
  return "";
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

void for_each_line(std::string_view text, const std::function<void(std::string_view)>& use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    use(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

DriverSettings read_driver_settings(std::string_view conf) {
  DriverSettings all;
  for_each_line(conf, [&](std::string_view line) {
    if (line.empty() || line.front() == '#' || line.front() == '!') return;
    const std::size_t end = std::min(line.find_first_of(" \t=:"), line.size());
    std::string_view value = trimmed(line.substr(end));
    if (value.starts_with('=') || value.starts_with(':')) value = trimmed(value.substr(1));
    all.insert_or_assign(std::string(line.substr(0, end)), std::string(value));
  });
  return all;
}

std::string_view value_of(const DriverSettings& all, std::string_view name) {
  const auto found = all.find(name);
  return found == all.end() ? std::string_view() : std::string_view(found->second);
}

void check_driver_settings(const DriverSettings& all, std::vector<std::string>& reasons) {
  check_agents(all, reasons);
  for (const auto& [name, value] : all) {
    if (!name.starts_with(kPrefix)) continue;
    const auto* const rule = std::ranges::find(kRules, name, &Rule::name);
    if (rule == kRules.end())
      reasons.push_back(name + ": no such setting" + kEndsStart);
    else if (const std::string allowed = wanted(*rule, value); !allowed.empty())
      reasons.push_back(name + ": " + value + " is not allowed; it is " + allowed + kEndsStart);
  }
}

std::string executors_obstacle(const DriverSettings& all) {
  const std::string_view by = value_of(all, kExecutors);
  return by == "shared" ? sharing_obstacle(all) : by == "policy" ? sizing_obstacle(all) : "";
}

}  // namespace park::spark
