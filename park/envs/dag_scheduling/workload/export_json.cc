#include "park/envs/dag_scheduling/workload/export_json.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/envs/dag_scheduling/workload/dag_form.h"

namespace park::dag_scheduling::workload {
namespace {

using dag_scheduling::Workload;

std::string quoted(const std::string& text, const std::string& what) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw Error(Errc::bad_file, what + " is not UTF-8, JSON cannot hold it");
  }
}

/// The shortest text that reads back as the same float; of some a double's is needed.
std::string float_text(float value) {
  char shortest[32];
  const char* const end = std::to_chars(shortest, shortest + sizeof shortest, value).ptr;
  double read = 0;
  (void)std::from_chars(shortest, end, read);
  return static_cast<float>(read) == value
             ? std::string(shortest, static_cast<std::size_t>(end - shortest))
             : number_text(value);
}

class Exporter {
 public:
  Exporter(const Workload& workload, const std::function<void(std::string_view)>& write)
      : workload_(workload), write_(write) {}

  void run() {
    out_ << "{\"schema\": \"" << kDagSchema << "\", \"version\": " << kDagVersion
         << ",\n \"name\": " << quoted(workload_.name(), "the workload's name")
         << ",\n \"provenance\": " << quoted(workload_.provenance(), "the provenance")
         << ",\n \"inflation\": " << inflation_text() << ",\n \"jobs\": [";
    const char* separator = "\n";
    for (const Workload::Job& job : workload_.jobs()) {
      out_ << std::exchange(separator, ",\n");
      write_job(job);
      pass_on();
    }
    out_ << "\n ]}\n";
    pass_on();
  }

 private:
  void pass_on() {
    write_(out_.view());
    out_.str({});
  }

  [[nodiscard]] std::string inflation_text() const {
    const dag_scheduling::Inflation& inflation = workload_.inflation();
    if (!inflation.present) return "null";
    std::string text = "{\"fitted_to\": " + number_text(inflation.fitted_to);
    for (std::size_t w = 0; w < dag_scheduling::kWaves; ++w) {
      text += ", \"" + std::string(wave_name(static_cast<dag_scheduling::Wave>(w))) +
              "\": {\"slope\": " + number_text(inflation.growth[w].slope) +
              ", \"power\": " + number_text(inflation.growth[w].power) + '}';
    }
    return text + '}';
  }

  void write_job(const Workload::Job& job) {
    out_ << "  {\"name\": " << quoted(job.name, "job " + job.name + ": its name")
         << ", \"stages\": [";
    const char* separator = "\n";
    for (const Workload::Stage& stage : workload_.stages(job)) {
      out_ << std::exchange(separator, ",\n");
      write_stage(stage);
    }
    out_ << "\n  ]}";
  }

  /// What a reader assumes anyway is left out.
  void write_stage(const Workload::Stage& stage) {
    out_ << "   {\"tasks\": " << stage.tasks;
    if (stage.parents > 0) write_parents(stage);
    if (stage.cpus != 1) out_ << ", \"cpus\": " << float_text(stage.cpus);
    if (stage.memory != 0) out_ << ", \"memory\": " << float_text(stage.memory);
    if (stage.run_s != 0) out_ << ", \"run_s\": " << number_text(stage.run_s);
    if (stage.cpu_s != 0) out_ << ", \"cpu_s\": " << number_text(stage.cpu_s);
    const auto cells = workload_.cells(stage);
    if (cells.size() == 1 && cells[0].wave == dag_scheduling::Wave::rest &&
        cells[0].executors == 1) {
      out_ << ", ";
      write_durations(cells[0]);
    } else {
      write_cells(cells);
    }
    out_ << '}';
  }

  void write_parents(const Workload::Stage& stage) {
    const char* separator = ", \"parents\": [";
    for (const std::uint16_t parent : workload_.parents(stage)) {
      out_ << std::exchange(separator, ", ") << parent;
    }
    out_ << ']';
  }

  void write_cells(std::span<const dag_scheduling::WorkloadCell> cells) {
    const char* separator = ", \"cells\": [\n";
    for (const dag_scheduling::WorkloadCell& cell : cells) {
      out_ << std::exchange(separator, ",\n") << "    {\"wave\": \"" << wave_name(cell.wave)
           << "\", \"executors\": " << cell.executors << ", ";
      write_durations(cell);
      out_ << '}';
    }
    out_ << ']';
  }

  void write_durations(const dag_scheduling::WorkloadCell& cell) {
    const char* separator = "\"durations_s\": [";
    for (const std::uint32_t ms : workload_.durations_ms(cell)) {
      out_ << std::exchange(separator, ", ") << number_text(ms / 1e3);
    }
    out_ << ']';
  }

  const Workload& workload_;
  const std::function<void(std::string_view)>& write_;
  std::ostringstream out_;
};

}  // namespace

void export_json(const Workload& workload, const std::function<void(std::string_view)>& write) {
  Exporter(workload, write).run();
}

}  // namespace park::dag_scheduling::workload
