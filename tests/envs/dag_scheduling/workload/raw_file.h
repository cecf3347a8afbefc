#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "park/core/rng.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::test {

/// A second writer of workload files, from docs/workload-format.md alone. It writes whatever it is
/// told to, right or wrong; the checksum is always right.
struct RawFile {
  struct Cell {
    std::uint8_t wave;
    std::uint16_t executors;
    std::vector<std::uint32_t> samples;
    std::optional<std::uint32_t> count;    ///< another one than there are
    std::optional<std::string> encoded{};  ///< other bytes than the samples'
  };
  struct Stage {
    std::uint32_t tasks = 1;
    float cpus = 1, memory = 0;
    double run_s = 0, cpu_s = 0;
    std::vector<std::uint16_t> parents;
    std::vector<Cell> cells;
  };
  struct Job {
    std::string name;
    std::vector<Stage> stages;
    std::uint32_t size_error = 0;  ///< added to the block's size
  };

  std::string magic = "PARKWORK";
  std::uint32_t version = 1;
  std::string name = "raw", provenance;
  std::uint8_t inflation = 0;
  std::vector<double> coefficients;
  std::vector<Job> jobs;
  std::uint32_t count_errors[5] = {};  ///< added to jobs, stages, parents, cells, samples

  static void put(std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  }
  static void put_varint(std::string& out, std::uint64_t value) {
    for (; value >= 128; value /= 128) out += static_cast<char>(value % 128 + 128);
    out += static_cast<char>(value);
  }

  static std::string block(const Job& job) {
    std::string out;
    put(out, job.name.size(), 2);
    out += job.name;
    put(out, job.stages.size(), 2);
    for (const Stage& stage : job.stages) {
      put(out, stage.tasks, 4);
      put(out, std::bit_cast<std::uint32_t>(stage.cpus), 4);
      put(out, std::bit_cast<std::uint32_t>(stage.memory), 4);
      put(out, std::bit_cast<std::uint64_t>(stage.run_s), 8);
      put(out, std::bit_cast<std::uint64_t>(stage.cpu_s), 8);
      put(out, stage.parents.size(), 2);
      for (const std::uint16_t parent : stage.parents) put(out, parent, 2);
      put(out, stage.cells.size(), 4);
      for (const Cell& cell : stage.cells) {
        put(out, cell.wave, 1);
        put(out, cell.executors, 2);
        put(out, cell.count.value_or(static_cast<std::uint32_t>(cell.samples.size())), 4);
        if (cell.encoded) out += *cell.encoded;
        if (cell.encoded) continue;
        for (const std::uint32_t sample : cell.samples) put_varint(out, sample);
      }
    }
    return out;
  }

  [[nodiscard]] std::string body() const {
    std::string out;
    for (const std::string* text : {&name, &provenance}) {
      put(out, text->size(), 4);
      out += *text;
    }
    put(out, inflation, 1);
    for (const double value : coefficients) put(out, std::bit_cast<std::uint64_t>(value), 8);
    for (const Job& job : jobs) {
      const std::string bytes = block(job);
      put(out, bytes.size() + job.size_error, 4);
      out += bytes;
    }
    return out;
  }

  [[nodiscard]] std::string bytes() const {
    std::uint64_t counts[5] = {jobs.size(), 0, 0, 0, 0};
    for (const Job& job : jobs) {
      counts[1] += job.stages.size();
      for (const Stage& stage : job.stages) {
        counts[2] += stage.parents.size();
        counts[3] += stage.cells.size();
        for (const Cell& cell : stage.cells) counts[4] += cell.samples.size();
      }
    }
    const std::string content = body();
    std::string out = magic;
    put(out, version, 4);
    for (int i = 0; i < 5; ++i) put(out, counts[i] + count_errors[i], 4);
    put(out, content.size(), 8);
    put(out, hash_text(content, hash_text(out)), 8);
    return out + content;
  }

  /// Puts the right checksum into a file that was changed elsewhere.
  static void seal(std::string& file) {
    if (file.size() < 48) return;
    const std::string_view text = file;
    std::string sum;
    put(sum, hash_text(text.substr(48), hash_text(text.substr(0, 40))), 8);
    file.replace(40, 8, sum);
  }
};

}  // namespace park::test
