// The note of a plug-in, read without running it: out of sound files, damaged ones, and none at all.
#include "park/plugins/elf_note.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "park/core/error.h"
#include "park/plugin.h"
#include "tests/kit/scratch_folder.h"

namespace park::plugins {
namespace elf_note_test {

using namespace std::string_view_literals;

/// The parts of a small shared library with a note: null section, names, note.
struct Library {
  Elf64_Ehdr header{};
  Elf64_Shdr sections[3]{};
  std::string names{"\0.shstrtab\0.note.park\0"sv};
  std::string note;

  Library() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] =
        std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    header.e_type = ET_DYN;
    header.e_machine = own_machine();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 3;
    header.e_shstrndx = 1;
    sections[1].sh_name = 1;
    sections[1].sh_type = SHT_STRTAB;
    sections[2].sh_name = 11;
    sections[2].sh_type = SHT_NOTE;
    set_note("Park", PARK_PLUGIN_NOTE_TYPE,
             content(PARK_PLUGIN_ABI,
                     "queue\0"
                     "1.2\0"
                     "MIT\0"sv));
  }

  /// That of the program that runs this.
  static Elf64_Half own_machine() {
    std::ifstream self("/proc/self/exe", std::ios::binary);
    Elf64_Ehdr own{};
    self.read(reinterpret_cast<char*>(&own), sizeof own);
    return own.e_machine;
  }

  static std::string content(std::uint32_t abi, std::string_view texts) {
    std::string bytes(sizeof abi, '\0');
    std::memcpy(bytes.data(), &abi, sizeof abi);
    return bytes.append(texts);
  }

  static std::string note_of(std::string owner, std::uint32_t type, std::string content) {
    owner += '\0';
    const Elf64_Nhdr head{static_cast<Elf64_Word>(owner.size()),
                          static_cast<Elf64_Word>(content.size()), type};
    owner.resize((owner.size() + 3) / 4 * 4);
    content.resize((content.size() + 3) / 4 * 4);
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + owner + content;
  }
  void set_note(const std::string& owner, std::uint32_t type, const std::string& content) {
    note = note_of(owner, type, content);
  }

  /// Header, names, note, table of sections.
  [[nodiscard]] std::string bytes() {
    sections[1].sh_offset = sizeof header;
    sections[1].sh_size = names.size();
    sections[2].sh_offset = sizeof header + names.size();
    sections[2].sh_size = note.size();
    header.e_shoff = sizeof header + names.size() + note.size();
    return raw();
  }
  /// The same with offsets and sizes as they are.
  [[nodiscard]] std::string raw() const {
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) + names + note +
           std::string(reinterpret_cast<const char*>(sections), sizeof sections);
  }
};

class ElfNoteTest : public testing::Test {
 protected:
  std::string put(std::string_view bytes) {
    std::ofstream(file_, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file_;
  }
  /// Why the file is refused; empty: it is not.
  std::string refusal(std::string_view bytes) { return refusal_of(put(bytes)); }
  static std::string refusal_of(const std::string& path) {
    try {
      static_cast<void>(read_elf_note(path));
      return "";
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == Errc::bad_file || error.code() == Errc::io);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
  }

  test::ScratchFolder folder_{"elf_note"};
  std::string file_ = folder_.file("plugin.so");
};

TEST_F(ElfNoteTest, TellsNameVersionLicenceAndInterface) {
  const ElfNote note = read_elf_note(put(Library().bytes()));
  EXPECT_EQ(note.abi, PARK_PLUGIN_ABI);
  EXPECT_EQ(note.name, "queue");
  EXPECT_EQ(note.version, "1.2");
  EXPECT_EQ(note.licence, "MIT");
}

TEST_F(ElfNoteTest, PassesOverNotesOfOthersAndTextsOfLaterHeaders) {
  Library library;
  library.set_note("Park", PARK_PLUGIN_NOTE_TYPE,
                   Library::content(7,
                                    "later\0"
                                    "2\0"
                                    "Apache-2.0\0"
                                    "more\0"sv));
  library.note = Library::note_of("GNU", 1, "abc") + Library::note_of("Park", 9, "") + library.note;
  const ElfNote note = read_elf_note(put(library.bytes()));
  EXPECT_EQ(note.abi, 7U);
  EXPECT_EQ(note.name, "later");
  EXPECT_EQ(note.licence, "Apache-2.0");
}

TEST_F(ElfNoteTest, ManySectionsAreCountedInTheFirstOne) {
  Library library;
  library.header.e_shnum = 0;
  library.header.e_shstrndx = SHN_XINDEX;
  library.sections[0].sh_size = 3;
  library.sections[0].sh_link = 1;
  EXPECT_EQ(read_elf_note(put(library.bytes())).name, "queue");
  library.sections[0].sh_size = std::uint64_t{1} << 40;
  EXPECT_EQ(refusal(library.bytes()), "is damaged: it has more than 65536 sections");
  library.sections[0].sh_size = 65'000;
  EXPECT_EQ(refusal(library.bytes()), "is damaged: its table of sections is not in the file");
}

TEST_F(ElfNoteTest, SaysWhatTheFileIsInstead) {
  EXPECT_EQ(refusal(""), "is no ELF file");
  EXPECT_EQ(refusal("#!/bin/sh\necho no library at all\n"), "is no ELF file");
  EXPECT_EQ(refusal_of(folder_.file(".")), "is no regular file");
  EXPECT_EQ(refusal_of(folder_.file("missing")), "No such file or directory");
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(refusal_of(pipe), "is no regular file");

  Library library;
  library.header.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(refusal(library.bytes()), "is no library of 64 bits");
  library = Library();
  library.header.e_ident[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB;
  EXPECT_EQ(refusal(library.bytes()), "has the other byte order");
  library = Library();
  library.header.e_machine = EM_SPARC;
  EXPECT_EQ(refusal(library.bytes()), "is for another processor (ELF machine 2)");
  library = Library();
  library.header.e_type = ET_REL;
  EXPECT_EQ(refusal(library.bytes()), "is no shared library");
}

TEST_F(ElfNoteTest, ALibraryWithoutANoteIsNoPlugin) {
  const std::string no_section = "is no plug-in of Park: it has no section .note.park";
  Library library;
  library.names[13] = 'x';
  EXPECT_EQ(refusal(library.bytes()), no_section);
  library = Library();
  library.sections[2].sh_type = SHT_NOBITS;
  EXPECT_EQ(refusal(library.bytes()), no_section);
  library = Library();
  static_cast<void>(library.bytes());
  library.header.e_shoff = 0;
  EXPECT_EQ(refusal(library.raw()), no_section);
  library = Library();
  library.set_note("GNU", PARK_PLUGIN_NOTE_TYPE, "1234");
  EXPECT_EQ(refusal(library.bytes()), "is no plug-in of Park: its section .note.park has no note");
}

TEST_F(ElfNoteTest, ADamagedNoteIsOneLine) {
  Library library;
  library.set_note("Park", PARK_PLUGIN_NOTE_TYPE, "12");
  EXPECT_EQ(refusal(library.bytes()), "is damaged: its note has no interface version");
  library.set_note("Park", PARK_PLUGIN_NOTE_TYPE,
                   Library::content(1,
                                    "name\0"
                                    "1.0\0"
                                    "MIT!"sv));
  EXPECT_EQ(refusal(library.bytes()), "is damaged: its note has no licence");
  library = Library();
  library.note.resize(library.note.size() - 8);
  EXPECT_EQ(refusal(library.bytes()), "is damaged: its note is cut off");
  library = Library();
  static_cast<void>(library.bytes());
  library.sections[2].sh_size = std::uint64_t{1} << 62;
  EXPECT_EQ(refusal(library.raw()), "is damaged: the section of its note is not in the file");
  library.sections[1].sh_offset = ~std::uint64_t{0};
  EXPECT_EQ(refusal(library.raw()), "is damaged: the names of its sections are not in the file");
  library.header.e_shstrndx = 7;
  EXPECT_EQ(refusal(library.raw()), "is damaged: the names of its sections are nowhere");
  library.header.e_shentsize = 1;
  EXPECT_EQ(refusal(library.raw()), "is damaged: its sections have another size");
}

/// Cut at every length, and with every byte changed: a note or one line.
TEST_F(ElfNoteTest, NoDamageCrashes) {
  const std::string sound = Library().bytes();
  for (std::size_t size = 0; size < sound.size(); ++size)
    EXPECT_NE(refusal(sound.substr(0, size)), "") << size;
  int refused = 0;
  for (std::size_t at = 0; at < sound.size(); ++at)
    for (const unsigned change : {0x01U, 0x80U, 0xffU}) {
      std::string bytes = sound;
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ change);
      refused += refusal(bytes).empty() ? 0 : 1;
    }
  EXPECT_GT(refused, 100);  // changes of the rest do not matter, such as those of the version
}

}  // namespace elf_note_test
}  // namespace park::plugins
