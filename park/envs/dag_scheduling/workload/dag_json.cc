// Reads job graphs from the JSON form. The file is read one job at a time (read_json_parts);
// Members takes typed members of an object and names those that are wrong or unknown. JobReader
// fills a draft and hands it to the collector; HeadReader takes the members beside the jobs.
// import_dag calls read_dag_json per file.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "park/core/config.h"
#include "park/envs/dag_scheduling/workload/dag_collector.h"
#include "park/envs/dag_scheduling/workload/dag_form.h"
#include "park/files/json_tree.h"

namespace park::dag_scheduling::workload {
namespace {

using dag_scheduling::StageProfile;
using JsonKind = files::JsonValue::Kind;

/// Takes typed members of an object and says what is wrong with them.
class Members {
 public:
  /// `where` begins the messages: "job etl". Names every key that is not known.
  Members(const files::JsonValue& object, std::string where, FileViolations& bad,
          std::initializer_list<std::string_view> known)
      : object_(object), where_(std::move(where)), bad_(bad) {
    const std::vector<std::string> names(known.begin(), known.end());
    for (const std::string& key : object.keys) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::string near = nearest(key, names);
      wrong(object_,
            "unknown member " + shown(key) +
                (near.empty() ? "; they are " + listed(names) : "; did you mean " + near + "?"));
    }
  }

  void wrong(const files::JsonValue& at, const std::string& what) {
    bad_.add(at.line, where_ + ": " + what);
  }
  /// The member, or null where it is absent or of another kind.
  [[nodiscard]] const files::JsonValue* get(std::string_view key, JsonKind kind) {
    const files::JsonValue* found = object_.find(key);
    if (found == nullptr || found->kind == kind) return found;
    files::JsonValue wanted;
    wanted.kind = kind;
    wrong(*found, std::string(key) + " is " + std::string(found->kind_text()) + ", must be " +
                      std::string(wanted.kind_text()));
    return nullptr;
  }
  [[nodiscard]] std::optional<double> number(const NumberField& field) {
    const files::JsonValue* found = get(field.name, JsonKind::number);
    if (found == nullptr) return std::nullopt;
    if (field.allows(found->number)) return found->number;
    wrong(*found, std::string(field.name) + " = " + number_text(found->number) + " must be " +
                      field.allowed());
    return std::nullopt;
  }
  template <class T>
  void take(const NumberField& field, T& into) {
    if (const auto n = number(field)) into = static_cast<T>(*n);
  }
  void require(std::string_view key) {
    if (object_.find(key) == nullptr) wrong(object_, std::string(key) + " is missing");
  }

 private:
  static std::string listed(const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    return all;
  }

  const files::JsonValue& object_;
  std::string where_;
  FileViolations& bad_;
};

std::string id_text(double number) { return number_text(number); }

/// A whole number or a text.
std::optional<std::string> id_of(const files::JsonValue& v) {
  if (v.kind == JsonKind::text && !v.text.empty()) return v.text;
  if (v.kind == JsonKind::number && v.number == std::trunc(v.number)) return id_text(v.number);
  return std::nullopt;
}

class JobReader {
 public:
  JobReader(const files::JsonValue& job, FileViolations& bad) : bad_(bad) { read(job); }
  [[nodiscard]] const JobDraft& draft() const noexcept { return draft_; }

 private:
  void read(const files::JsonValue& job) {
    draft_.line = job.line;
    if (job.kind != JsonKind::object) {
      return bad_.add(job.line,
                      "jobs holds " + std::string(job.kind_text()) + ", each must be an object");
    }
    const files::JsonValue* name = job.find("name");
    if (name == nullptr || name->kind != JsonKind::text) {
      return bad_.add(job.line, "a job's name is missing or no text");
    }
    draft_.name = name->text;
    where_ = "job " + shown(draft_.name);
    Members members(job, where_, bad_, {"name", "arrival_s", "stages"});
    draft_.arrival_s = members.number(kArrivalField);
    members.require("stages");
    if (const files::JsonValue* stages = members.get("stages", JsonKind::array))
      read_stages(*stages);
  }

  void read_stages(const files::JsonValue& stages) {
    if (!stages.numbers.empty()) {
      bad_.add(stages.line, where_ + ": stages holds a number, each must be an object");
    }
    for (const files::JsonValue& stage : stages.items) {
      if (stage.kind == JsonKind::object) {
        read_stage(stage);
      } else {
        bad_.add(stage.line, where_ + ": stages holds " + std::string(stage.kind_text()) +
                                 ", each must be an object");
      }
    }
  }

  void read_stage(const files::JsonValue& stage) {
    StageDraft& draft = draft_.stages.emplace_back();
    draft.line = stage.line;
    draft.id = id_text(static_cast<double>(draft_.stages.size() - 1));
    const files::JsonValue* id = stage.find("id");
    if (id != nullptr) {
      const auto text = id_of(*id);
      if (!text) bad_.add(id->line, where_ + ": a stage's id must be a text or a whole number");
      if (text) draft.id = *text;
    }
    const std::string where = stage_text(draft_.name, draft.id);
    Members members(stage, where, bad_,
                    {"id", "parents", "tasks", "cpus", "memory", "run_s", "cpu_s", "durations_s",
                     "mean_s", "sd_s", "wave", "executors", "cells"});
    members.require("tasks");
    members.take(kTasksField, draft.profile.tasks);
    members.take(kCpusField, draft.profile.cpus);
    members.take(kMemoryField, draft.profile.memory);
    members.take(kRunField, draft.profile.run_s);
    members.take(kCpuTimeField, draft.profile.cpu_s);
    if (const files::JsonValue* parents = members.get("parents", JsonKind::array)) {
      read_parents(*parents, members, draft);
    }
    read_cells(stage, where, members, draft.profile);
  }

  static void read_parents(const files::JsonValue& parents, Members& members, StageDraft& draft) {
    for (const double number : parents.numbers) {
      if (number == std::trunc(number))
        draft.parents.push_back(id_text(number));
      else
        members.wrong(parents, "a parent must be a stage's id, a text or a whole number");
    }
    for (const files::JsonValue& parent : parents.items) {
      const auto id = id_of(parent);
      if (id)
        draft.parents.push_back(*id);
      else
        members.wrong(parent, "a parent must be a stage's id, a text or a whole number");
    }
  }

  void read_cells(const files::JsonValue& stage, const std::string& where, Members& members,
                  StageProfile& profile) {
    const files::JsonValue* cells = members.get("cells", JsonKind::array);
    if (cells == nullptr) {
      if (stage.find("cells") == nullptr) read_cell(stage, members, profile);
      return;
    }
    for (const char* other : {"durations_s", "mean_s", "sd_s", "wave", "executors"}) {
      if (stage.find(other) == nullptr) continue;
      members.wrong(*cells, "cells and " + std::string(other) + " exclude each other");
    }
    if (cells->items.empty() || !cells->numbers.empty()) {
      members.wrong(*cells, "cells must be a list of objects, at least one");
    }
    for (const files::JsonValue& cell : cells->items) {
      if (cell.kind != JsonKind::object) {
        members.wrong(cell,
                      "cells holds " + std::string(cell.kind_text()) + ", each must be an object");
        continue;
      }
      Members of_cell(cell, where, bad_, {"wave", "executors", "durations_s", "mean_s", "sd_s"});
      read_cell(cell, of_cell, profile);
    }
  }

  /// A cell, or a stage that has its only one in itself.
  static void read_cell(const files::JsonValue& object, Members& members, StageProfile& profile) {
    StageProfile::Cell cell;
    members.take(kExecutorsField, cell.executors);
    if (const files::JsonValue* wave = members.get("wave", JsonKind::text)) {
      const auto known = wave_of(wave->text);
      if (known) cell.wave = *known;
      if (!known) members.wrong(*wave, wrong_wave(wave->text));
    }
    DurationFields fields;
    fields.mean_s = members.number(kMeanField);
    fields.sd_s = members.number(kDeviationField);
    if (const files::JsonValue* list = members.get("durations_s", JsonKind::array)) {
      fields.listed = true;
      fields.durations_s = list->numbers;
      if (!list->items.empty()) {
        return members.wrong(*list, "durations_s holds " + std::string(list->items[0].kind_text()) +
                                        ", all must be numbers");
      }
    }
    // What is there but not usable was named above.
    if (object.find("mean_s") != nullptr && !fields.mean_s) return;
    if (object.find("durations_s") != nullptr && !fields.listed) return;
    const std::string wrong = add_cell(std::move(cell), fields, profile);
    if (!wrong.empty()) members.wrong(object, wrong);
  }

  FileViolations& bad_;
  JobDraft draft_;
  std::string where_;
};

/// The members of the file beside its jobs.
class HeadReader {
 public:
  explicit HeadReader(FileViolations& bad) : bad_(bad) {}

  void read(std::string_view key, const files::JsonValue& v) {
    if (key == "schema") {
      if (v.text != kDagSchema) wrong(v, "schema must be \"" + std::string(kDagSchema) + '"');
    } else if (key == "version") {
      read_version(v);
    } else if (key == "name" || key == "provenance") {
      if (v.kind != JsonKind::text) return wrong(v, std::string(key) + " must be a text");
      (key == "name" ? head_.name : head_.provenance) = v.text;
    } else if (key == "inflation") {
      read_inflation(v);
    } else if (key == "jobs") {
      wrong(v, "jobs is " + std::string(v.kind_text()) + ", must be a list");
    } else {
      const std::string near =
          nearest(key, {"schema", "version", "name", "provenance", "inflation", "jobs"});
      wrong(v, "unknown member " + shown(key) +
                   (near.empty() ? "; they are schema, version, name, provenance, inflation, jobs"
                                 : "; did you mean " + near + "?"));
    }
  }
  [[nodiscard]] const DagHead& head() const noexcept { return head_; }

 private:
  void wrong(const files::JsonValue& at, const std::string& what) { bad_.add(at.line, what); }

  void read_version(const files::JsonValue& v) {
    if (v.kind == JsonKind::number && v.number > kDagVersion) {
      throw Error(Errc::bad_file, bad_.file() + ":" + std::to_string(v.line) + ": version " +
                                      number_text(v.number) +
                                      " is newer than this program reads (" +
                                      std::to_string(kDagVersion) + ")");
    }
    if (v.kind != JsonKind::number || v.number != kDagVersion) {
      wrong(v, "version must be " + std::to_string(kDagVersion));
    }
  }

  void read_inflation(const files::JsonValue& v) {
    head_.inflation = dag_scheduling::Inflation{};
    if (v.kind == JsonKind::null) return;
    if (v.kind != JsonKind::object) return wrong(v, "inflation must be null or an object");
    Members members(v, "inflation", bad_, {"fitted_to", "fresh", "first", "rest"});
    head_.inflation->present = true;
    members.require("fitted_to");
    members.take({"fitted_to", 1, 1e9}, head_.inflation->fitted_to);
    for (const dag_scheduling::Wave wave :
         {dag_scheduling::Wave::fresh, dag_scheduling::Wave::first, dag_scheduling::Wave::rest}) {
      const std::string_view name = dag_scheduling::wave_name(wave);
      members.require(name);
      const files::JsonValue* law = members.get(name, JsonKind::object);
      if (law == nullptr) continue;
      Members fields(*law, "inflation " + std::string(name), bad_, {"slope", "power"});
      auto& growth = head_.inflation->growth[static_cast<std::size_t>(wave)];
      fields.require("slope");
      fields.require("power");
      fields.take({"slope", 0, 1e300}, growth.slope);
      fields.take({"power", 0, 1e300, false, true}, growth.power);
    }
  }

  FileViolations& bad_;
  DagHead head_;
};

}  // namespace

DagHead read_dag_json(files::ByteSource& source, const std::string& file, DagCollector& into) {
  FileViolations bad(file);
  HeadReader head(bad);
  bool any = false;
  const auto on_job = [&](const files::JsonValue& value) {
    any = true;
    const std::size_t before = bad.size();
    const JobReader reader(value, bad);
    if (bad.size() == before && into.wants(reader.draft().name)) into.add(reader.draft(), bad);
  };
  const auto on_member = [&](std::string_view key, const files::JsonValue& v) {
    head.read(key, v);
  };
  into.report().lines += files::read_json_parts(source, file, {"jobs", on_job, on_member});
  bad.throw_if_any();
  if (!any) throw Error(Errc::bad_file, file + ": jobs is missing or empty");
  return head.head();
}

}  // namespace park::dag_scheduling::workload
