// manifest.json from structs and back. A struct lists its fields once (`fields`); the templates
// here write them in that order, and read them in any order; a field that is missing or doubled is
// an error, and an unknown one is skipped. parse_manifest checks schema and version first, then the
// fields, then their ranges. Checkpoints and the training loop call it, and check_layout before
// weights are used.
#include "park/runs/manifest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "park/core/error.h"
#include "park/core/json_writer.h"
#include "park/core/text.h"
#include "park/files/json_cursor.h"

namespace park::runs {
namespace {

using files::JsonCursor;
using files::JsonError;

constexpr std::size_t kMostElements = 100'000;  // of a list

template <class T>
concept Fields = requires(T& t) {
  T::fields(t, [](std::string_view, auto&) {});
};

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

template <class T>
void write(JsonWriter& json, const T& value) {
  if constexpr (Fields<T>) {
    json.begin_object();
    T::fields(value, [&](std::string_view name, const auto& field) {
      json.key(name);
      write(json, field);
    });
    json.end_object();
  } else if constexpr (IsList<T>::value) {
    json.begin_array();
    for (const auto& element : value) write(json, element);
    json.end_array();
  } else {
    json.value(value);
  }
}

void read(JsonCursor& json, std::string& out) { json.text(out); }
void read(JsonCursor& json, bool& out) { out = json.boolean(); }
void read(JsonCursor& json, std::uint64_t& out) { out = json.natural(); }
void read(JsonCursor& json, double& out) {
  out = std::numeric_limits<double>::quiet_NaN();
  if (json.is('n'))
    json.skip();
  else
    out = json.number();
}

template <class T>
void read(JsonCursor& json, std::vector<T>& out);
template <Fields T>
void read(JsonCursor& json, T& out);

/// Reads one field of the name, if there is one.
template <class T>
bool read_field(JsonCursor& json, std::string_view key, T& out) {
  bool found = false;
  T::fields(out, [&](std::string_view name, auto& field) {
    if (name != key) return;
    found = true;
    try {
      read(json, field);
    } catch (const JsonError& error) {
      throw JsonError(std::string(name) + ": " + error.what());
    }
  });
  return found;
}

template <Fields T>
void read(JsonCursor& json, T& out) {
  std::set<std::string_view> seen;
  std::string_view key;
  for (json.enter_object(); json.next_key(key);) {
    if (!read_field(json, key, out)) {
      json.skip();
      continue;
    }
    if (!seen.insert(key).second) throw JsonError(std::string(key) + " comes twice");
  }
  T::fields(out, [&](std::string_view name, auto&) {
    if constexpr (requires { T::kLater; })
      if (std::ranges::find(T::kLater, name) != T::kLater.end()) return;
    if (!seen.contains(name)) throw JsonError("has no " + std::string(name));
  });
}

template <class T>
void read(JsonCursor& json, std::vector<T>& out) {
  out.clear();
  for (json.enter_array(); json.next_element();) {
    if (out.size() == kMostElements) throw JsonError("more than 100000 elements");
    read(json, out.emplace_back());
  }
}

/// What every version of the file has.
struct Head {
  std::string schema;
  std::uint64_t version = 0;
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("schema", s.schema);
    visit("version", s.version);
  }
};

template <class T>
T read_object(std::string_view text) {
  JsonCursor json(text);
  T out;
  read(json, out);
  json.finish();
  return out;
}

std::string schema_of(Manifest::Kind kind) {
  return kind == Manifest::Kind::run ? "park.run" : "park.checkpoint";
}

void check_progress(const TrainProgress& p) {
  const bool good = p.part >= 0 && p.part <= 1 && p.cpu_s >= 0 && p.wall_s >= 0;
  if (!good) throw JsonError("part, cpu_s or wall_s is out of its range");
}

void check_ranges(const Manifest& m) {
  check_progress(m.progress);
  for (const ValidationPoint& v : m.validations) check_progress(v.at);
  for (const TrainProgress& p : m.init) check_progress(p);
  const TrainSettings& s = m.settings;
  for (const std::string* text : {&s.env, &s.algorithm, &s.baseline, &s.network}) try {
      static_cast<void>(parse_named(*text));
    } catch (const Error& error) {
      throw JsonError(std::string("settings: ") + error.what());
    }
  if (!(s.validate_every > 0 && s.validate_every <= 1))
    throw JsonError("validate_every is not in (0, 1]");
  if (!(s.budget_s >= 0)) throw JsonError("budget_s is not a time");
  if (!(s.wall_s >= 0)) throw JsonError("wall_s is not a time");
}

std::string line_of(const Leaf& l, const char* kind, bool categorical) {
  std::string line = kind + l.name + ' ' + std::string(to_text(l.dtype)) + " [" + l.group;
  for (std::size_t i = 0; i < l.shape.size(); ++i)
    line += (i == 0 && l.group.empty() ? "" : ", ") + std::to_string(l.shape[i]);
  line += ']';
  if (!l.index_of.empty()) line += " index of " + l.index_of;
  for (const std::string& g : l.given) line += " given " + g;
  if (categorical)
    line += " of " + std::to_string(static_cast<std::int64_t>(l.high - l.low + 1)) + " values";
  return line;
}

/// A line of a layout with * in place of lengths, which are words of digits.
std::string without_lengths(const std::string& line) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string text;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i;
    while (end < line.size() && digit(line[end])) ++end;
    const bool begins = i > 0 && (line[i - 1] == ' ' || line[i - 1] == '[');
    const bool ends =
        end == line.size() || line[end] == ' ' || line[end] == ',' || line[end] == ']';
    if (end > i && begins && ends) {
      text += '*';
      i = end;
    } else {
      text += line[i++];
    }
  }
  return text;
}

bool same_but_lengths(const std::vector<std::string>& trained,
                      const std::vector<std::string>& played) {
  return std::ranges::equal(trained, played, [](const std::string& was, const std::string& is) {
    if (was == is) return true;
    const bool no_choice = was.starts_with("head ") && was.ends_with(" of 1 values");
    return !no_choice && without_lengths(was) == without_lengths(is);
  });
}

std::string env_name(const Manifest& m) {
  return m.env_name.empty() ? parse_named(m.settings.env).text : m.env_name;
}

bool same_name(const Manifest& manifest, const Spec& spec) {
  const std::string name = env_name(manifest);
  return name == spec.name || (!spec.traits.twin.empty() && name == spec.traits.twin);
}

}  // namespace

const ValidationPoint* Manifest::best() const noexcept {
  const ValidationPoint* found = nullptr;
  for (const ValidationPoint& v : validations) {
    if (std::isnan(v.mean)) continue;
    if (found == nullptr || (lower_is_better ? v.mean < found->mean : v.mean > found->mean))
      found = &v;
  }
  return found;
}

std::string manifest_text(const Manifest& manifest) {
  JsonWriter json;
  json.begin_object()
      .member("schema", schema_of(manifest.kind))
      .member("version", kManifestVersion);
  Manifest::fields(manifest, [&](std::string_view name, const auto& field) {
    json.key(name);
    write(json, field);
  });
  return json.end_object().take();
}

Manifest parse_manifest(std::string_view text, const std::string& file) {
  const auto refuse = [&](const std::string& what) {
    throw Error(Errc::bad_file, file + ": " + what);
  };
  try {
    const Head head = read_object<Head>(text);
    const bool run = head.schema == schema_of(Manifest::Kind::run);
    if (!run && head.schema != schema_of(Manifest::Kind::checkpoint))
      refuse("its schema is neither park.run nor park.checkpoint");
    if (head.version > kManifestVersion)
      refuse("is of version " + std::to_string(head.version) + "; this park reads version " +
             std::to_string(kManifestVersion) + " and older");
    Manifest manifest = read_object<Manifest>(text);
    manifest.kind = run ? Manifest::Kind::run : Manifest::Kind::checkpoint;
    check_ranges(manifest);
    return manifest;
  } catch (const JsonError& error) {
    refuse(error.what());
    throw;
  }
}

std::vector<std::string> layout_lines(const Spec& spec) {
  std::vector<std::string> lines;
  for (const Leaf& l : spec.observation.leaves)
    if (!l.informative()) lines.push_back(line_of(l, "leaf ", false));
  for (const Leaf& l : spec.action.leaves) {
    if (l.informative()) continue;
    const bool integer = l.dtype != DType::f32 && l.dtype != DType::f64;
    const bool categorical =
        integer && l.index_of.empty() && spec.observation.find(l.name + ".min") == nullptr;
    lines.push_back(line_of(l, "head ", categorical));
  }
  return lines;
}

bool fits(const Manifest& manifest, const Spec& spec) {
  if (!same_name(manifest, spec)) return false;
  return manifest.layout_hash == layout_text(spec) ||
         (manifest.any_lengths && same_but_lengths(manifest.layout, layout_lines(spec)));
}

void check_network(const Manifest& manifest, std::uint64_t version, const std::string& file) {
  if (manifest.network_version == version) return;
  throw Error(Errc::invalid_config, file + ": its network " + manifest.settings.network +
                                        " is of version " +
                                        std::to_string(manifest.network_version) +
                                        ", this park's of version " + std::to_string(version));
}

void check_layout(const Manifest& manifest, const Spec& spec, const std::string& file) {
  if (fits(manifest, spec)) return;
  if (!same_name(manifest, spec))
    throw Error(Errc::invalid_config, file + ": was trained on " + env_name(manifest) +
                                          " and does not understand " + spec.name);
  const std::vector<std::string> lines = layout_lines(spec);
  std::string difference = "an unknown difference";
  for (std::size_t i = 0; i < std::max(lines.size(), manifest.layout.size()); ++i) {
    const std::string was = i < manifest.layout.size() ? manifest.layout[i] : "nothing";
    const std::string is = i < lines.size() ? lines[i] : "nothing";
    if (was == is) continue;
    difference.assign("it has ").append(was).append(", the environment has ").append(is);
    break;
  }
  std::ranges::replace_if(
      difference, [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  throw Error(Errc::invalid_config, file + ": another layout of " + spec.name + ": " + difference);
}

}  // namespace park::runs
