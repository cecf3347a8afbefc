// The compiled part of park_sdk: park/, the heuristics and the bridge for Python. Nothing here is
// for users; _core.pyi tells the types.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>

#include "extension/conformance.h"
#include "extension/episodes.h"
#include "extension/errors.h"
#include "extension/parent.h"
#include "extension/plugins.h"
#include "extension/random.h"
#include "extension/registry.h"
#include "extension/serving.h"
#include "extension/spec_dict.h"
#include "extension/stream.h"

namespace park::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

Phase phase_named(const std::string& name) {
  if (name == "train") return Phase::train;
  if (name == "validate") return Phase::validate;
  if (name == "evaluate") return Phase::evaluate;
  throw Error(Errc::invalid_config,
              "phase: '" + name + "'; allowed are train, validate and evaluate");
}

Illegal rule_named(const std::string& name) {
  if (name == "error") return Illegal::error;
  if (name == "project") return Illegal::project;
  if (name == "penalise") return Illegal::penalise;
  throw Error(Errc::invalid_config,
              "illegal: '" + name + "'; allowed are error, project and penalise");
}

py::list to_list(const std::vector<FieldInfo>& fields) {
  py::list all;
  for (const FieldInfo& f : fields)
    all.append(py::dict("name"_a = f.name, "type"_a = f.type, "default"_a = f.default_text,
                        "unit"_a = f.unit, "doc"_a = f.doc, "fields"_a = to_list(f.fields)));
  return all;
}

/// The simulated ones: neither running systems nor what is elsewhere.
std::vector<std::string> environments() {
  std::vector<std::string> names;
  for (const std::string& name : registry().env_names()) {
    try {
      static_cast<void>(registry().env_factory(name));
      names.push_back(name);
    } catch (const Error& error) {
      if (error.code() != Errc::unavailable) throw;
    }
  }
  return names;
}

void bind_episodes(py::module_& m) {
  py::class_<EpisodeSource, std::shared_ptr<EpisodeSource>>(m, "Episodes")
      .def_static(
          "of_run",
          [](std::uint64_t seed, const std::string& phase, std::optional<std::uint64_t> count,
             double mean_horizon_s) -> std::shared_ptr<EpisodeSource> {
            RandomEpisodesOptions options{.mean_horizon_s = mean_horizon_s};
            if (count) options.count = *count;
            return std::make_shared<RandomEpisodes>(phase_rng(seed, phase_named(phase)), options);
          },
          "seed"_a, "phase"_a, "count"_a, "mean_horizon_s"_a)
      .def_static(
          "of_slots",
          [](const std::vector<std::uint64_t>& seeds, const std::string& phase,
             double mean_horizon_s, std::uint64_t first) -> std::shared_ptr<EpisodeSource> {
            return std::make_shared<SlotEpisodes>(seeds, phase_named(phase), mean_horizon_s, first);
          },
          "seeds"_a, "phase"_a, "mean_horizon_s"_a, "first"_a)
      .def_static(
          "listed",
          [](const std::vector<std::tuple<std::uint64_t, std::uint64_t, double>>& list)
              -> std::shared_ptr<EpisodeSource> {
            std::vector<Episode> all;
            for (const auto& [inputs, dynamics, horizon_s] : list)
              all.push_back({.inputs = inputs, .dynamics = dynamics, .horizon_s = horizon_s});
            return std::make_shared<FixedEpisodes>(std::move(all));
          },
          "episodes"_a);
}

void bind_stream(py::module_& m) {
  py::class_<PolicyHandle>(m, "Policy")
      .def(py::init([](const std::string& text, const py::dict& spec, std::uint64_t seed,
                       const std::string& phase) {
             return std::make_unique<PolicyHandle>(
                 text, spec_of(spec), phase_rng(seed, phase_named(phase)).split("actions"));
           }),
           "text"_a, "spec"_a, "seed"_a, "phase"_a);
  py::class_<StreamHandle>(m, "Stream")
      .def(py::init([](const std::string& env, const std::shared_ptr<EpisodeSource>& episodes,
                       std::uint32_t slots, std::uint32_t workers, const std::string& illegal,
                       double penalty, double timeout_s) {
             StreamOptions options{.slots = slots, .workers = workers};
             options.illegal = rule_named(illegal);
             options.penalty = penalty;
             return std::make_unique<StreamHandle>(env, episodes, options, timeout_s);
           }),
           "env"_a, "episodes"_a, "slots"_a, "workers"_a, "illegal"_a, "penalty"_a, "timeout_s"_a)
      .def("spec", &StreamHandle::spec)
      .def("recv", &StreamHandle::recv, "padded"_a)
      .def("send", &StreamHandle::send, "actions"_a)
      .def("masks", &StreamHandle::masks)
      .def("decide", &StreamHandle::decide, "policy"_a)
      .def("close", &StreamHandle::close)
      .def_property_readonly("closed", &StreamHandle::closed);
}

void bind_all(py::module_& m) {
  register_errors();
  m.def("environments", &environments);
  m.def("fields", [](const std::string& name) { return to_list(registry().env_fields(name)); });
  m.def("spec", [](const std::string& env) { return to_dict(registry().spec(env)); });
  m.def("policies", [](const py::dict& spec) { return registry().policies_for(spec_of(spec)); });
  m.def("mean_horizon_s", [](const std::string& env) { return registry().mean_horizon_s(env); });
  bind_episodes(m);
  bind_stream(m);
  bind_serving(m);
  bind_random(m);
  bind_plugins(m);
  bind_parent(m);
  bind_conformance(m);
}

}  // namespace
}  // namespace park::python

PYBIND11_MODULE(_core, m) { park::python::bind_all(m); }
