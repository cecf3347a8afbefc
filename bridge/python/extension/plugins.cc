// Classes of Python as entries of the registry. fields_of reads the descriptions of their fields,
// values_of makes the keyword arguments of a configuration from a canonical text. The functions of
// an entry take Python's lock by themselves, since threads of C++ call them. The decorators of
// park_sdk.plugins add entries; the server of a plug-in serves one. Libraries that are plug-ins
// (park/plugin.h) add theirs to the same registry.
#include "extension/plugins.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bridge/server/policy_service.h"
#include "bridge/server/stream_service.h"
#include "extension/python_env.h"
#include "extension/python_policy.h"
#include "extension/registry.h"
#include "extension/spec_dict.h"
#include "park/core/text.h"
#include "park/plugins/load.h"
#include "park/plugins/places.h"

namespace park::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

Names names_of(const std::string& word) {
  if (word == "nothing") return Names::nothing;
  if (word == "file") return Names::file;
  return word == "endpoint" ? Names::endpoint : Names::undeclared;
}

/// Of the dicts that park_sdk.fields makes.
std::vector<FieldInfo> fields_of(const py::dict& description) {
  std::vector<FieldInfo> fields;
  for (const py::handle field : description["fields"]) {
    FieldInfo f{.name = py::cast<std::string>(field["name"]),
                .doc = py::cast<std::string>(field["doc"]),
                .unit = py::cast<std::string>(field["unit"]),
                .type = py::cast<std::string>(field["type"]),
                .default_text = py::cast<std::string>(field["default"])};
    f.min = py::cast<double>(field["min"]);
    f.max = py::cast<double>(field["max"]);
    f.open_min = py::cast<bool>(field["open_min"]);
    f.open_max = py::cast<bool>(field["open_max"]);
    f.choices = py::cast<std::vector<std::string>>(field["choices"]);
    f.tune = py::cast<std::string>(field["tune"]);
    f.names = f.type.ends_with("text") && f.choices.empty()
                  ? names_of(py::cast<std::string>(field["names"]))
                  : Names::nothing;
    fields.push_back(std::move(f));
  }
  return fields;
}

template <class T>
T number_of(const std::string& text) {
  T number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// A value that was checked.
py::object value_of(const Value& v, std::string_view type) {
  constexpr std::string_view kListOf = "list of ";
  if (type.starts_with(kListOf)) {
    py::list all;
    for (const Value& item : v.items) all.append(value_of(item, type.substr(kListOf.size())));
    return all;
  }
  if (type == "bool") return py::bool_(v.text == "true");
  if (type == "integer") return py::int_(number_of<std::int64_t>(v.text));
  if (type == "number") return py::float_(number_of<double>(v.text));
  return py::str(v.text);
}

/// The fields of a canonical text.
py::dict values_of(const Value& text, const std::vector<FieldInfo>& fields) {
  py::dict values;
  for (std::size_t i = 0; i < text.keys.size(); ++i)
    for (const FieldInfo& f : fields)
      if (f.name == text.keys[i]) values[py::str(f.name)] = value_of(text.items[i], f.type);
  return values;
}

void add_environment(const py::dict& description, py::object cls) {
  const auto python = std::make_shared<PythonObject>(std::move(cls));
  OutsideEnv env{.name = py::cast<std::string>(description["name"]),
                 .fields = fields_of(description)};
  env.spec = [python, fields = env.fields](const Value& text) {
    return python->with([&](const py::object& object) {
      return spec_of(object.attr("spec")(values_of(text, fields)));
    });
  };
  env.make_env = [python, fields = env.fields](const Value& text) -> std::unique_ptr<Env> {
    return python->with([&](const py::object& object) {
      const auto made = py::cast<py::tuple>(object.attr("make")(values_of(text, fields)));
      return std::make_unique<PythonEnv>(spec_of(py::cast<py::dict>(made[0])), made[1]);
    });
  };
  extend_registry("environment " + env.name, [env](Registry& r) { r.add_env(env); });
}

void add_policy(const py::dict& description, py::object cls) {
  const auto python = std::make_shared<PythonObject>(std::move(cls));
  const PolicyInfo info{
      .name = py::cast<std::string>(description["name"]),
      .summary = py::cast<std::string>(description["summary"]),
      .reference = py::cast<std::string>(description["reference"]),
      .environments = py::cast<std::vector<std::string>>(description["environments"])};
  const std::vector<FieldInfo> fields = fields_of(description);
  const auto make = [python, fields](const Value& text, const Spec& spec) {
    return python->with([&](const py::object& object) -> std::unique_ptr<Policy> {
      return std::make_unique<PythonPolicy>(
          spec, object.attr("make")(values_of(text, fields), to_dict(spec)));
    });
  };
  extend_registry("policy " + info.name,
                  [info, fields, make](Registry& r) { r.add_policy(info, fields, make); });
}

/// What a file brought, by kind.
py::dict load_plugin(const std::string& file) {
  const plugins::Plugin plugin = plugins::load(std::filesystem::absolute(file));
  extend_registry("plug-in " + plugin.file().string(), [plugin](Registry& r) { plugin.add_to(r); });
  const plugins::Offer offer = plugin.offer();
  return py::dict("name"_a = plugin.name(), "version"_a = plugin.version(),
                  "environments"_a = offer.environments, "systems"_a = offer.systems,
                  "policies"_a = offer.policies);
}

/// Of the plug-ins that nobody names in the program: (file, whether it was found in a folder, why it
/// must not be loaded).
py::list plugin_places() {
  py::list all;
  for (const plugins::Place& place : plugins::find_places({}))
    all.append(py::make_tuple(place.file.string(), place.found, place.problem));
  return all;
}

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bridge::Server::MakeService plugin_service(const std::string& kind, const std::string& name) {
  const Registry& known = registry();
  if (kind == "policy")
    return [&known] {
      return std::make_unique<bridge::PolicyService>(
          known, bridge::PolicyServiceOptions{.policy = "", .trusted = true});
    };
  static_cast<void>(known.env(name));
  return [&known] {
    return std::make_unique<bridge::StreamService>(
        known, bridge::StreamServiceOptions{.env = "", .may_wait = true, .trusted = true});
  };
}

void bind_plugins(py::module_& m) {
  m.def("add_environment", &add_environment, "description"_a, "cls"_a);
  m.def("add_policy", &add_policy, "description"_a, "cls"_a);
  m.def("load_plugin", &load_plugin, "file"_a);
  m.def("plugin_places", &plugin_places);
  m.def(
      "has_environment",
      [](const std::string& name) { return has_name(registry().env_names(), name); }, "name"_a);
  m.def(
      "has_policy",
      [](const std::string& name) { return has_name(registry().policy_names(), name); }, "name"_a);
}

}  // namespace park::python
