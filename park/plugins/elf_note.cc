// An ELF file (System V ABI, edition 4.1, chapters 4 and 5) is read in four steps: the file header,
// the table of sections, the names of the sections, and the section of the note. Each step reads a range that the one before has named.
// Nothing in the file is trusted: a range outside the file, or larger than any sound library has, is
// damage. No other part is read, so a library of a gigabyte costs some kilobytes. The list of
// plug-ins calls it for each file.
#include "park/plugins/elf_note.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "park/core/error.h"
#include "park/plugin.h"

namespace park::plugins {
namespace {

constexpr std::uint64_t kMostSections = 65'536;
constexpr std::uint64_t kMostNames = std::uint64_t{16} << 20;  // bytes of the sections' names
constexpr std::uint64_t kMostNotes = std::uint64_t{1} << 16;   // bytes of the section of the note
constexpr std::string_view kOwner = "Park";

#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr unsigned kMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr unsigned kMachine = EM_PPC64;
#elif defined(__s390x__)
constexpr unsigned kMachine = EM_S390;
#else
#error "add the ELF machine of this processor"
#endif
static_assert(sizeof(void*) == 8, "plug-ins are libraries of 64 bits");

[[noreturn]] void refuse(const std::string& what) { throw Error(Errc::bad_file, what); }
[[noreturn]] void refuse_damage(const std::string& what) { refuse("is damaged: " + what); }

/// A file of which ranges are read.
class Ranges {
 public:
  explicit Ranges(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {  // a pipe would wait
    if (file_ < 0) throw Error(Errc::io, std::system_category().message(errno));
    struct stat about {};
    if (fstat(file_, &about) != 0 || !S_ISREG(about.st_mode)) {
      ::close(file_);
      refuse("is no regular file");
    }
    size_ = static_cast<std::uint64_t>(about.st_size);
  }
  ~Ranges() { ::close(file_); }
  Ranges(const Ranges&) = delete;
  Ranges& operator=(const Ranges&) = delete;

  /// Nothing where the range is not in the file, or longer than `most`.
  [[nodiscard]] std::optional<std::string> read(std::uint64_t offset, std::uint64_t size,
                                                std::uint64_t most) const {
    if (size > most || offset > size_ || size > size_ - offset) return std::nullopt;
    std::string bytes(size, '\0');
    for (std::uint64_t done = 0; done < size;) {
      const ssize_t got =
          ::pread(file_, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw Error(Errc::io, std::system_category().message(errno));
      if (got == 0) return std::nullopt;  // it became shorter
      done += static_cast<std::uint64_t>(got);
    }
    return bytes;
  }

 private:
  int file_;
  std::uint64_t size_ = 0;
};

template <class T>
T record(std::string_view bytes, std::uint64_t offset = 0) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Elf64_Ehdr read_header(const Ranges& file) {
  const auto ident = file.read(0, EI_NIDENT, EI_NIDENT);
  if (!ident || !ident->starts_with(ELFMAG)) refuse("is no ELF file");
  if ((*ident)[EI_CLASS] != ELFCLASS64) refuse("is no library of 64 bits");
  const char order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if ((*ident)[EI_DATA] != order) refuse("has the other byte order");
  const auto bytes = file.read(0, sizeof(Elf64_Ehdr), sizeof(Elf64_Ehdr));
  if (!bytes) refuse_damage("it ends within its header");
  const auto header = record<Elf64_Ehdr>(*bytes);
  if (header.e_machine != kMachine)
    refuse("is for another processor (ELF machine " + std::to_string(header.e_machine) + ')');
  if (header.e_type != ET_DYN) refuse("is no shared library");
  return header;
}

/// The table, and the number of the section that has the names. Counts above 65 279 stand in the
/// first section.
std::vector<Elf64_Shdr> read_sections(const Ranges& file, const Elf64_Ehdr& header,
                                      std::uint64_t& names) {
  constexpr const char* kOutside = "its table of sections is not in the file";
  if (header.e_shoff == 0) return {};
  if (header.e_shentsize != sizeof(Elf64_Shdr)) refuse_damage("its sections have another size");
  const auto first = file.read(header.e_shoff, sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
  if (!first) refuse_damage(kOutside);
  const auto zero = record<Elf64_Shdr>(*first);
  const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : zero.sh_size;
  if (count > kMostSections) refuse_damage("it has more than 65536 sections");
  const auto bytes =
      file.read(header.e_shoff, count * sizeof(Elf64_Shdr), kMostSections * sizeof(Elf64_Shdr));
  if (!bytes) refuse_damage(kOutside);
  names = header.e_shstrndx == SHN_XINDEX ? zero.sh_link : header.e_shstrndx;
  std::vector<Elf64_Shdr> sections(count);
  if (count > 0) std::memcpy(sections.data(), bytes->data(), bytes->size());
  return sections;
}

/// The bytes of the section of that name; nothing where there is none.
std::optional<std::string> read_section(const Ranges& file, std::string_view name) {
  std::uint64_t names_at = 0;
  const std::vector<Elf64_Shdr> sections = read_sections(file, read_header(file), names_at);
  if (sections.empty()) return std::nullopt;
  if (names_at >= sections.size()) refuse_damage("the names of its sections are nowhere");
  const auto names =
      file.read(sections[names_at].sh_offset, sections[names_at].sh_size, kMostNames);
  if (!names) refuse_damage("the names of its sections are not in the file");
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_name >= names->size()) continue;
    const std::string_view rest = std::string_view(*names).substr(section.sh_name);
    if (rest.substr(0, rest.find('\0')) != name || section.sh_type == SHT_NOBITS) continue;
    auto bytes = file.read(section.sh_offset, section.sh_size, kMostNotes);
    if (!bytes) refuse_damage("the section of its note is not in the file");
    return bytes;
  }
  return std::nullopt;
}

/// Names and contents of notes begin at multiples of 4.
constexpr std::uint64_t padded(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

/// The content of the first note of Park; nothing where there is none.
std::optional<std::string> find_note(std::string_view bytes) {
  while (bytes.size() >= sizeof(Elf64_Nhdr)) {
    const auto head = record<Elf64_Nhdr>(bytes);
    bytes.remove_prefix(sizeof head);
    const std::uint64_t content = padded(head.n_namesz);  // of 32 bits: sums do not overflow
    if (content + head.n_descsz > bytes.size()) refuse_damage("its note is cut off");
    std::string_view owner = bytes.substr(0, head.n_namesz);
    owner = owner.substr(0, owner.find('\0'));
    if (owner == kOwner && head.n_type == PARK_PLUGIN_NOTE_TYPE)
      return std::string(bytes.substr(content, head.n_descsz));
    bytes.remove_prefix(std::min<std::uint64_t>(bytes.size(), content + padded(head.n_descsz)));
  }
  return std::nullopt;
}

/// Takes a text and its NUL from the front.
std::string take_text(std::string_view& content, const char* what) {
  const std::size_t end = content.find('\0');
  if (end == std::string_view::npos) refuse_damage(std::string("its note has no ") + what);
  std::string text(content.substr(0, end));
  content.remove_prefix(end + 1);
  return text;
}

}  // namespace

ElfNote read_elf_note(const std::filesystem::path& path) {
  const Ranges file(path);
  const auto notes = read_section(file, PARK_PLUGIN_NOTE_SECTION);
  if (!notes) refuse("is no plug-in of Park: it has no section " PARK_PLUGIN_NOTE_SECTION);
  const auto content = find_note(*notes);
  if (!content)
    refuse("is no plug-in of Park: its section " PARK_PLUGIN_NOTE_SECTION " has no note");
  if (content->size() < sizeof(std::uint32_t)) refuse_damage("its note has no interface version");
  std::string_view rest = *content;
  ElfNote note{.abi = record<std::uint32_t>(rest)};
  rest.remove_prefix(sizeof note.abi);
  note.name = take_text(rest, "name");
  note.version = take_text(rest, "version");
  note.licence = take_text(rest, "licence");
  return note;
}

}  // namespace park::plugins
