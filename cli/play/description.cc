// What `park describe` prints. A Description has the spec, the fields of the environment, and the
// policies for it; the same tables are laid out as text, Markdown or, member by member, as JSON.
// `park describe` and the generator of docs/envs call it.
#include <charconv>
#include <cmath>
#include <utility>

#include "cli/frame/names.h"
#include "cli/play/describe.h"
#include "park/command/numbers.h"
#include "park/command/strings.h"
#include "park/command/table.h"
#include "park/core/text.h"
#include "park/runs/checkpoint.h"

namespace park::cli {
namespace {

/// "[stages, 2]": the ragged dimension by its name; "[]" for one value.
std::string shape_text(const Leaf& leaf) {
  std::vector<std::string> dimensions;
  if (!leaf.group.empty()) dimensions.push_back(leaf.group);
  for (const std::int64_t n : leaf.shape) dimensions.push_back(std::to_string(n));
  return '[' + joined(dimensions, ", ") + ']';
}

/// For people: six significant digits are enough of a bound.
std::string bound_text(double bound) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, bound, std::chars_format::general, 6).ptr;
  const bool plain = std::abs(bound) < 1e9 && bound == std::floor(bound);
  return plain ? rounded(bound, 0) : std::string(buffer, end);
}

std::string range_text(double low, double high, bool open_low = false, bool open_high = false) {
  return (open_low || std::isinf(low) ? "(" : "[") + bound_text(low) + ", " + bound_text(high) +
         (open_high || std::isinf(high) ? ")" : "]");
}

/// What a field may be; empty: anything of its type.
std::string allowed_text(const FieldInfo& field) {
  if (!field.choices.empty()) return joined(field.choices, ", ");
  if (std::isinf(field.min) && std::isinf(field.max)) return "";
  return range_text(field.min, field.max, field.open_min, field.open_max);
}

std::string leaf_doc(const Leaf& leaf) {
  return leaf.index_of.empty() ? leaf.doc : leaf.doc + " (an index of " + leaf.index_of + ')';
}

Table leaf_table(const std::vector<const Leaf*>& leaves) {
  Table table({{"leaf"}, {"type"}, {"shape"}, {"unit"}, {"range"}, {"meaning"}});
  for (const Leaf* leaf : leaves)
    table.add({leaf->name, std::string(to_text(leaf->dtype)), shape_text(*leaf), leaf->unit,
               range_text(leaf->low, leaf->high), leaf_doc(*leaf)});
  return table;
}

Table head_table(const Record& action) {
  Table table({{"head"}, {"type"}, {"shape"}, {"unit"}, {"range"}, {"given"}, {"meaning"}});
  for (const Leaf& leaf : action.leaves)
    table.add({leaf.name, std::string(to_text(leaf.dtype)), shape_text(leaf), leaf.unit,
               range_text(leaf.low, leaf.high), leaf.given.empty() ? "-" : joined(leaf.given, ", "),
               leaf_doc(leaf)});
  return table;
}

Table group_table(const Record& record) {
  Table table({{"group"}, {"at most", Table::Align::right}});
  for (const Group& group : record.groups) table.add({group.name, std::to_string(group.capacity)});
  return table;
}

std::string default_text(const FieldInfo& field) {
  return field.default_text.empty() ? "\"\"" : field.default_text;
}

void add_fields(Table& table, const std::vector<FieldInfo>& fields, const std::string& prefix) {
  for (const FieldInfo& field : fields) {
    const std::string name = prefix + field.name;
    table.add({name, field.type, field.unit, default_text(field), allowed_text(field), field.doc});
    add_fields(table, field.fields, name + '.');
  }
}

Table field_table(const std::vector<FieldInfo>& fields) {
  Table table({{"field"}, {"type"}, {"unit"}, {"default"}, {"allowed"}, {"meaning"}});
  add_fields(table, fields, "");
  return table;
}

/// The same in fewer columns, for the width of a terminal.
void add_fields_narrow(Table& table, const std::vector<FieldInfo>& fields,
                       const std::string& prefix) {
  for (const FieldInfo& field : fields) {
    const std::string name = prefix + field.name, allowed = allowed_text(field);
    const std::string unit = field.unit == "1" ? "" : ' ' + field.unit;
    const std::string rule = field.choices.empty() ? "; in " : "; one of ";
    table.add({name, default_text(field) + unit, field.type,
               field.doc + (allowed.empty() ? "" : rule + allowed)});
    add_fields_narrow(table, field.fields, name + '.');
  }
}

Table metric_table(const Spec& spec) {
  Table table({{"metric"}, {"unit"}, {"better"}, {"meaning"}});
  for (const Metric& metric : spec.metrics)
    table.add({metric.name, metric.unit, metric.lower_is_better ? "lower" : "higher", metric.doc});
  return table;
}

/// In short: a policy may have more fields than a line holds, and the next table has all.
std::string policy_fields_text(const std::vector<FieldInfo>& fields) {
  constexpr std::size_t kMostCharacters = 60;
  std::string text;
  for (const FieldInfo& field : fields) {
    const std::string one = field.name + '=' + field.default_text;
    if (!text.empty() && text.size() + one.size() > kMostCharacters) return text + ", ...";
    text += (text.empty() ? "" : ", ") + one;
  }
  return text.empty() ? "-" : text;
}

Table policy_table(const Description& about) {
  Table table({{"policy"}, {"fields"}, {"meaning"}});
  for (const auto& [info, fields] : about.policies)
    table.add({info.name, policy_fields_text(fields), info.summary});
  return table;
}

Table policy_field_table(const Description& about) {
  Table table({{"field"}, {"default"}, {"type"}, {"meaning"}});
  for (const auto& [info, fields] : about.policies)
    add_fields_narrow(table, fields, info.name + '.');
  return table;
}

/// The leaves of the observation that networks see, or those for people and tools.
std::vector<const Leaf*> leaves_of(const Spec& spec, bool informative) {
  std::vector<const Leaf*> leaves;
  for (const Leaf& leaf : spec.observation.leaves)
    if (leaf.informative() == informative) leaves.push_back(&leaf);
  return leaves;
}

/// The numbers of a leaf among the inputs of a network in a file, or of a head among its outputs.
struct NetworkPlace {
  std::string name;
  std::int64_t from, count;
};

std::vector<NetworkPlace> network_inputs(const Spec& spec) {
  std::vector<NetworkPlace> all;
  std::int64_t from = 0;
  for (const Leaf* leaf : leaves_of(spec, false)) {
    all.push_back({leaf->name, from, static_cast<std::int64_t>(leaf->width())});
    from += all.back().count;
  }
  return all;
}

std::vector<NetworkPlace> network_outputs(const Spec& spec) {
  std::vector<NetworkPlace> all;
  std::int64_t from = 0;
  for (const Leaf& head : spec.action.leaves) {
    const bool continuous = head.dtype == DType::f32;
    const double count = continuous ? static_cast<double>(head.width()) : head.high - head.low + 1;
    all.push_back({head.name, from, static_cast<std::int64_t>(count)});
    from += all.back().count;
  }
  return all;
}

/// What a network in a file takes and gives; nothing where rows have no fixed size.
Table network_table(const Spec& spec) {
  Table table({{"place"}, {"of"}, {"numbers"}});
  if (!spec.observation.groups.empty()) return table;
  const auto add = [&](const char* side, const std::vector<NetworkPlace>& places) {
    for (const NetworkPlace& p : places)
      table.add({side, p.name,
                 std::to_string(p.from) +
                     (p.count > 1 ? " to " + std::to_string(p.from + p.count - 1) : "")});
  };
  add("input", network_inputs(spec));
  add("output", network_outputs(spec));
  return table;
}

void write_network(JsonWriter& json, const Spec& spec) {
  json.key("network_file");
  if (!spec.observation.groups.empty()) return void(json.null());
  json.begin_object();
  for (const auto& [side, places] :
       {std::pair("inputs", network_inputs(spec)), std::pair("outputs", network_outputs(spec))}) {
    json.key(side).begin_array();
    for (const NetworkPlace& p : places)
      json.begin_object(JsonWriter::Layout::line)
          .member("name", p.name)
          .member("from", p.from)
          .member("count", p.count)
          .end_object();
    json.end_array();
  }
  json.end_object();
}

struct Section {
  std::string title;
  Table table;
};

std::vector<Section> sections(const Description& about, Table fields) {
  const Spec& spec = about.spec;
  std::vector<Section> all{{"Configuration", std::move(fields)},
                           {"Observation", leaf_table(leaves_of(spec, false))},
                           {"Groups of the observation", group_table(spec.observation)},
                           {"Information for people and tools", leaf_table(leaves_of(spec, true))},
                           {"Action", head_table(spec.action)},
                           {"Metrics", metric_table(spec)},
                           {"Policies that fit", policy_table(about)},
                           {"Fields of the policies", policy_field_table(about)}};
  std::erase_if(all, [](const Section& section) { return section.table.empty(); });
  return all;
}

void write_leaf(JsonWriter& json, const Leaf& leaf) {
  json.begin_object(JsonWriter::Layout::line).member("name", leaf.name);
  json.member("dtype", to_text(leaf.dtype)).key("shape").begin_array();
  for (const std::int64_t n : leaf.shape) json.value(n);
  json.end_array().member("group", leaf.group).member("low", leaf.low).member("high", leaf.high);
  json.member("unit", leaf.unit).member("index_of", leaf.index_of).key("given").values(leaf.given);
  json.member("doc", leaf.doc).end_object();
}

void write_record(JsonWriter& json, const Record& record, const std::vector<const Leaf*>& leaves) {
  json.begin_object().key("groups").begin_array();
  for (const Group& group : record.groups) {
    json.begin_object(JsonWriter::Layout::line).member("name", group.name);
    json.member("capacity", group.capacity).end_object();
  }
  json.end_array().key("leaves").begin_array();
  for (const Leaf* leaf : leaves) write_leaf(json, *leaf);
  json.end_array().end_object();
}

void write_fields(JsonWriter& json, const std::vector<FieldInfo>& fields) {
  json.begin_array();
  for (const FieldInfo& field : fields) {
    json.begin_object().member("name", field.name).member("type", field.type);
    json.member("unit", field.unit).member("default", field.default_text);
    json.member("min", field.min).member("max", field.max);
    json.member("open_min", field.open_min).member("open_max", field.open_max);
    json.key("choices").values(field.choices);
    json.member("tune", field.tune).member("doc", field.doc);
    if (!field.fields.empty()) {
      json.key("fields");
      write_fields(json, field.fields);
    }
    json.end_object();
  }
  json.end_array();
}

void write_policies(JsonWriter& json, const Description& about) {
  std::vector<std::string> names;
  for (const auto& policy : about.policies) names.push_back(policy.info.name);
  json.key("policies").values(names).key("policy_info").begin_object();
  for (const auto& [info, fields] : about.policies) {
    json.key(info.name).begin_object().member("summary", info.summary);
    json.member("reference", info.reference).key("config");
    write_fields(json, fields);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

Table narrow_field_table(const std::vector<FieldInfo>& fields) {
  Table table({{"field"}, {"default"}, {"type"}, {"meaning"}});
  add_fields_narrow(table, fields, "");
  return table;
}

Description describe(const Registry& registry, const std::string& canonical_env, const Spec& spec) {
  Description about{.env = canonical_env,
                    .spec = spec,
                    .fields = registry.env_fields(parse_text(canonical_env).text),
                    .policies = {}};
  for (const std::string& name : registry.policies_for(spec)) {
    if (name == kElsewhere) continue;
    about.policies.push_back({registry.policy_info(name), registry.policy_fields(name)});
  }
  for (const PolicyInfo& info : registry.bundled_policies(spec))
    about.policies.push_back({info, registry.policy_fields(info.name)});
  return about;
}

std::string description_text(const Description& about, std::size_t width) {
  const Spec& spec = about.spec;
  std::string text = printable(about.env + " - " + spec.summary) + "\n\n";
  Table head({{""}, {""}});
  head.add({"version", std::to_string(spec.version)});
  head.add({"layout", layout_text(spec)});
  head.add({"traits", traits_text(spec.traits)});
  if (!spec.traits.twin.empty()) head.add({"twin", spec.traits.twin});
  head.add({"reference", spec.reference});
  text += head.text(0, width);
  for (const Section& section : sections(about, narrow_field_table(about.fields)))
    text += '\n' + section.title + ":\n" + section.table.text(2, width);
  const Table network = network_table(spec);
  if (!network.empty()) text += "\nNetworks in files *.pt and *.onnx:\n" + network.text(2, width);
  return text +
         "\nThe folder of a run of park train, or of a checkpoint, is a policy by its path.\n";
}

std::string description_markdown(const Description& about) {
  const Spec& spec = about.spec;
  std::string text = "<!-- Written by `park describe " + about.env + " --markdown`. -->\n# " +
                     about.env + "\n\n" + printable(spec.summary) + ".\n\n";
  text += "- Version " + std::to_string(spec.version) + ", layout `" + layout_text(spec) +
          "`\n- Traits: " + traits_text(spec.traits) + '\n';
  if (!spec.traits.twin.empty()) text += "- Twin: `" + spec.traits.twin + "`\n";
  text += "- Reference: " + printable(spec.reference) + '\n';
  for (const Section& section : sections(about, field_table(about.fields)))
    text += "\n## " + section.title + "\n\n" + section.table.markdown();
  return text +
         "\nThe folder of a [run of `park train`](../training.md), or of a checkpoint, is a policy "
         "by its "
         "path.\n";
}

std::string description_json(const Description& about) {
  const Spec& spec = about.spec;
  JsonWriter json;
  json.begin_object().member("name", spec.name).member("version", spec.version);
  json.member("layout_hash", layout_text(spec));
  json.member("summary", spec.summary).member("reference", spec.reference);
  json.key("observation");
  write_record(json, spec.observation, leaves_of(spec, false));
  json.key("action");
  std::vector<const Leaf*> heads;
  for (const Leaf& leaf : spec.action.leaves) heads.push_back(&leaf);
  write_record(json, spec.action, heads);
  json.key("info").begin_array();
  for (const Leaf* leaf : leaves_of(spec, true)) write_leaf(json, *leaf);
  json.end_array().key("config");
  write_fields(json, about.fields);
  json.key("metrics").begin_array();
  for (const Metric& metric : spec.metrics) {
    json.begin_object(JsonWriter::Layout::line).member("name", metric.name);
    json.member("unit", metric.unit).member("better", metric.lower_is_better ? "lower" : "higher");
    json.member("doc", metric.doc).end_object();
  }
  json.end_array().key("traits");
  write_traits(json, spec.traits);
  write_network(json, spec);
  write_policies(json, about);
  return json.end_object().take();
}

std::string traits_text(const Traits& traits) {
  std::vector<std::string> words{traits.system ? "real system" : "simulated"};
  if (traits.replayable) words.push_back("replayable");
  if (traits.cloneable) words.push_back("cloneable");
  return joined(words, ", ");
}

void write_traits(JsonWriter& json, const Traits& traits) {
  json.begin_object(JsonWriter::Layout::line).member("system", traits.system);
  json.member("replayable", traits.replayable).member("cloneable", traits.cloneable);
  write_twin(json, traits);
  json.end_object();
}

void write_twin(JsonWriter& json, const Traits& traits) {
  json.key("twin");
  if (traits.twin.empty())
    json.null();
  else
    json.value(traits.twin);
}

}  // namespace park::cli
