// The binary form of a workload: a header with counts and a checksum, then texts, inflation and one
// block per job. Writing goes over the jobs in order. Reading checks the header, the checksum and
// the counts against the number of bytes before it allocates, then fills the columns, whose content
// Workload checks. Workload::open and the commands that make or change workloads call it.
#include "park/envs/dag_scheduling/workload_file.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <type_traits>
#include <utility>

#include "park/core/error.h"
#include "park/core/rng.h"
#include "park/files/new_file.h"
#include "park/files/read.h"

namespace park::dag_scheduling {
namespace {

constexpr std::string_view kMagic = "PARKWORK";
constexpr std::size_t kSummedBytes = 40;  // of the header: all before the checksum
constexpr std::size_t kHeaderBytes = kSummedBytes + sizeof(std::uint64_t);

// The fewest bytes that one element takes in a file: what a count may claim at most.
constexpr std::uint64_t kMinJob = 9, kMinStage = 34, kMinParent = 2, kMinCell = 7, kMinSample = 1;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t checksum(std::span<const std::byte> file) {
  return hash_text(text_of(file.subspan(kHeaderBytes)),
                   hash_text(text_of(file.first(kSummedBytes))));
}

/// Appends little-endian numbers.
class Writer {
 public:
  explicit Writer(std::vector<std::byte>& out) : out_(out) {}

  template <class T>
  requires std::is_unsigned_v<T>
  void put(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) out_.push_back(std::byte(value >> (8 * i)));
  }
  void put(float value) { put(std::bit_cast<std::uint32_t>(value)); }
  void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void put(std::string_view text) {
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    out_.insert(out_.end(), data, data + text.size());
  }
  /// LEB128: seven bits a byte, low ones first, the high bit says that more follow.
  void put_varint(std::uint32_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(std::byte((value & 0x7f) | 0x80));
    out_.push_back(std::byte(value));
  }

 private:
  std::vector<std::byte>& out_;
};

void put_job(const Workload& workload, const Workload::Job& job, std::vector<std::byte>& out) {
  Writer writer(out);
  writer.put(static_cast<std::uint16_t>(job.name.size()));
  writer.put(std::string_view(job.name));
  writer.put(static_cast<std::uint16_t>(job.stages));
  for (const Workload::Stage& stage : workload.stages(job)) {
    writer.put(static_cast<std::uint32_t>(stage.tasks));
    writer.put(stage.cpus);
    writer.put(stage.memory);
    writer.put(stage.run_s);
    writer.put(stage.cpu_s);
    writer.put(static_cast<std::uint16_t>(stage.parents));
    for (const std::uint16_t parent : workload.parents(stage)) writer.put(parent);
    writer.put(stage.cells);
    for (const WorkloadCell& cell : workload.cells(stage)) {
      writer.put(static_cast<std::uint8_t>(cell.wave));
      writer.put(cell.executors);
      writer.put(cell.count);
      for (const std::uint32_t sample : workload.durations_ms(cell)) writer.put_varint(sample);
    }
  }
}

void put_inflation(const Inflation& inflation, Writer& writer) {
  writer.put(static_cast<std::uint8_t>(inflation.present));
  if (!inflation.present) return;
  writer.put(inflation.fitted_to);
  for (const Inflation::Growth& law : inflation.growth) {
    writer.put(law.slope);
    writer.put(law.power);
  }
}

std::vector<std::byte> body_bytes(const Workload& workload) {
  std::vector<std::byte> body;
  Writer writer(body);
  for (const std::string* text : {&workload.name(), &workload.provenance()}) {
    writer.put(static_cast<std::uint32_t>(text->size()));
    writer.put(std::string_view(*text));
  }
  put_inflation(workload.inflation(), writer);
  std::vector<std::byte> block;
  for (const Workload::Job& job : workload.jobs()) {
    block.clear();
    put_job(workload, job, block);
    writer.put(static_cast<std::uint32_t>(block.size()));
    writer.put(text_of(block));
  }
  return body;
}

/// Takes little-endian numbers off a span; what is not there is an error, not read.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& source)
      : bytes_(bytes), source_(source) {}

  [[nodiscard]] std::size_t position() const noexcept { return at_; }
  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size() - at_; }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Errc::bad_file, source_ + ": " + what + " (byte " + std::to_string(at_) + ")");
  }
  void need(std::uint64_t count) const {
    if (count > left()) fail("truncated");
  }

  template <class T>
  [[nodiscard]] T take() {
    need(sizeof(T));
    if constexpr (std::is_same_v<T, float>) {
      return std::bit_cast<float>(take<std::uint32_t>());
    } else if constexpr (std::is_same_v<T, double>) {
      return std::bit_cast<double>(take<std::uint64_t>());
    } else {
      std::uint64_t value = 0;
      for (std::size_t i = 0; i < sizeof(T); ++i) {
        value |= std::to_integer<std::uint64_t>(bytes_[at_ + i]) << (8 * i);
      }
      at_ += sizeof(T);
      return static_cast<T>(value);
    }
  }

  [[nodiscard]] std::string take_text(std::size_t size) {
    need(size);
    std::string text(text_of(bytes_.subspan(at_, size)));
    at_ += size;
    return text;
  }

  /// A number has one form only: no zero bytes at the end, at most 32 bits.
  [[nodiscard]] std::uint32_t take_varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      if (at_ == bytes_.size()) fail("truncated");
      const auto byte = std::to_integer<std::uint64_t>(bytes_[at_]);
      value |= (byte & 0x7f) << shift;
      ++at_;
      if (byte >= 0x80) continue;
      if ((byte == 0 && shift > 0) || value > 0xffffffff) break;
      return static_cast<std::uint32_t>(value);
    }
    fail("a duration is not a 32-bit number in its shortest form");
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string& source_;
  std::size_t at_ = 0;
};

struct Counts {
  std::uint32_t jobs, stages, parents, cells, samples;
};

/// Checks everything of a file that does not need the body's structure.
Counts check_header(std::span<const std::byte> file, const std::string& source) {
  Reader reader(file, source);
  if (file.size() < kMagic.size() || text_of(file.first(kMagic.size())) != kMagic) {
    reader.fail("not a workload file");
  }
  (void)reader.take_text(kMagic.size());
  const auto version = reader.take<std::uint32_t>();
  if (version > kWorkloadVersion) {
    throw Error(Errc::bad_file, source + ": workload file version " + std::to_string(version) +
                                    " is newer than this program reads (" +
                                    std::to_string(kWorkloadVersion) + ")");
  }
  if (version < 1) reader.fail("workload file version 0 does not exist");
  Counts counts{};
  for (std::uint32_t* count :
       {&counts.jobs, &counts.stages, &counts.parents, &counts.cells, &counts.samples}) {
    *count = reader.take<std::uint32_t>();
  }
  const auto body = reader.take<std::uint64_t>();
  const auto sum = reader.take<std::uint64_t>();
  if (body > reader.left()) reader.fail("truncated");
  if (body < reader.left()) reader.fail("bytes after the end");
  if (sum != checksum(file)) reader.fail("damaged: its checksum is wrong");
  if (counts.jobs * kMinJob > body || counts.stages * kMinStage > body ||
      counts.parents * kMinParent > body || counts.cells * kMinCell > body ||
      counts.samples * kMinSample > body) {
    reader.fail("the counts are too large for its size");
  }
  return counts;
}

/// Reads the body into columns whose sizes are known.
class BodyReader {
 public:
  BodyReader(Reader& reader, const Counts& counts) : reader_(reader), counts_(counts) {
    data_.jobs.reserve(counts.jobs);
    data_.stages.reserve(counts.stages);
    data_.parents.reserve(counts.parents);
    data_.cells.reserve(counts.cells);
    data_.durations_ms.reserve(counts.samples);
  }

  Workload::Data run() {
    data_.name = reader_.take_text(reader_.take<std::uint32_t>());
    data_.provenance = reader_.take_text(reader_.take<std::uint32_t>());
    take_inflation();
    for (std::uint32_t j = 0; j < counts_.jobs; ++j) {
      const auto bytes = reader_.take<std::uint32_t>();
      reader_.need(bytes);
      const std::size_t end = reader_.position() + bytes;
      take_job();
      if (reader_.position() != end) reader_.fail("the size of a job is wrong");
    }
    if (reader_.left() != 0) reader_.fail("bytes after the last job");
    if (data_.stages.size() != counts_.stages || data_.parents.size() != counts_.parents ||
        data_.cells.size() != counts_.cells || data_.durations_ms.size() != counts_.samples) {
      reader_.fail("the counts do not match the jobs");
    }
    return std::move(data_);
  }

 private:
  /// The index of the next element of a column that will get `more` of them.
  template <class T>
  std::uint32_t grow(const std::vector<T>& column, std::size_t more, std::uint32_t limit) {
    if (more > limit - column.size()) reader_.fail("the counts do not match the jobs");
    return static_cast<std::uint32_t>(column.size());
  }

  void take_inflation() {
    const auto present = reader_.take<std::uint8_t>();
    if (present > 1) reader_.fail("unknown form of inflation");
    if (present == 0) return;
    data_.inflation.present = true;
    data_.inflation.fitted_to = reader_.take<double>();
    for (Inflation::Growth& law : data_.inflation.growth) {
      law.slope = reader_.take<double>();
      law.power = reader_.take<double>();
    }
  }

  void take_job() {
    std::string name = reader_.take_text(reader_.take<std::uint16_t>());
    const auto stages = reader_.take<std::uint16_t>();
    const std::uint32_t first = grow(data_.stages, stages, counts_.stages);
    data_.jobs.push_back({std::move(name), first, stages});
    for (std::uint32_t s = 0; s < stages; ++s) take_stage();
  }

  void take_stage() {
    Workload::Stage stage{};
    stage.tasks = static_cast<std::int32_t>(reader_.take<std::uint32_t>());
    stage.cpus = reader_.take<float>();
    stage.memory = reader_.take<float>();
    stage.run_s = reader_.take<double>();
    stage.cpu_s = reader_.take<double>();
    stage.parents = reader_.take<std::uint16_t>();
    stage.first_parent = grow(data_.parents, stage.parents, counts_.parents);
    for (std::uint32_t i = 0; i < stage.parents; ++i) {
      data_.parents.push_back(reader_.take<std::uint16_t>());
    }
    stage.cells = reader_.take<std::uint32_t>();
    stage.first_cell = grow(data_.cells, stage.cells, counts_.cells);
    for (std::uint32_t i = 0; i < stage.cells; ++i) take_cell();
    data_.stages.push_back(stage);
  }

  void take_cell() {
    WorkloadCell cell{};
    const auto wave = reader_.take<std::uint8_t>();
    if (wave >= kWaves) reader_.fail("unknown wave");
    cell.wave = static_cast<Wave>(wave);
    cell.executors = reader_.take<std::uint16_t>();
    cell.count = reader_.take<std::uint32_t>();
    cell.begin = grow(data_.durations_ms, cell.count, counts_.samples);
    for (std::uint32_t i = 0; i < cell.count; ++i) {
      data_.durations_ms.push_back(reader_.take_varint());
    }
    data_.cells.push_back(cell);
  }

  Reader& reader_;
  const Counts& counts_;
  Workload::Data data_;
};

/// The errors of a workload's checks, with the source in front of every line.
[[noreturn]] void rethrow_with_source(const Error& error, const std::string& source) {
  std::string text = source + ": ";
  for (const char c : std::string_view(error.what())) {
    text += c;
    if (c == '\n') text += source + ": ";
  }
  throw Error(error.code(), text);
}

}  // namespace

std::vector<std::byte> workload_bytes(const Workload& workload) {
  const std::vector<std::byte> body = body_bytes(workload);
  std::size_t parents = 0, cells = 0;
  for (const Workload::Job& job : workload.jobs()) {
    for (const Workload::Stage& stage : workload.stages(job)) {
      parents += stage.parents;
      cells += stage.cells;
    }
  }
  std::vector<std::byte> file;
  file.reserve(kHeaderBytes + body.size());
  Writer writer(file);
  writer.put(kMagic);
  writer.put(kWorkloadVersion);
  for (const std::size_t count :
       {workload.jobs().size(), workload.stage_count(), parents, cells, workload.sample_count()}) {
    writer.put(static_cast<std::uint32_t>(count));
  }
  writer.put(static_cast<std::uint64_t>(body.size()));
  writer.put(hash_text(text_of(body), hash_text(text_of(file))));
  writer.put(text_of(body));
  return file;
}

std::vector<std::byte> job_bytes(const Workload& workload, std::size_t job) {
  std::vector<std::byte> block;
  put_job(workload, workload.jobs()[job], block);
  return block;
}

Workload parse_workload(std::span<const std::byte> bytes, const std::string& source) {
  const Counts counts = check_header(bytes, source);
  Reader reader(bytes, source);
  (void)reader.take_text(kHeaderBytes);
  Workload::Data data = BodyReader(reader, counts).run();
  try {
    return Workload(std::move(data));
  } catch (const Error& error) {
    rethrow_with_source(error, source);
  }
}

std::string read_bytes(const std::string& path) {
  std::error_code error;
  static_cast<void>(std::filesystem::file_size(path, error));
  if (error) throw Error(Errc::io, path + ": " + error.message());
  std::string bytes = files::read_file(path, error);
  if (error) throw Error(Errc::io, path + ": it cannot be read");
  return bytes;
}

Workload read_workload(const std::string& path) {
  const std::string bytes = read_bytes(path);
  return parse_workload(std::as_bytes(std::span(bytes)), path);
}

void write_workload(const Workload& workload, const std::string& path) {
  const std::vector<std::byte> bytes = workload_bytes(workload);
  if (files::try_write_file(path, text_of(bytes)))
    throw Error(Errc::io, path + ": it cannot be written");
}

}  // namespace park::dag_scheduling
