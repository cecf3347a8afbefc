// Importers of plug-ins as actions of `park data`.
#include "park/plugins/importer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "park/command/data_kinds.h"
#include "park/core/json_writer.h"
#include "tests/kit/scratch_folder.h"
#include "tests/plugins/loaded.h"

namespace park::test {
namespace plugin_importer_test {

class NoProgress final : public command::ReadProgress {
  void expect(std::uint64_t) override {}
  void advance(std::uint64_t) override {}
};

/// What an import reports; the violations where there are some.
struct Imported {
  std::string text, json, wrong;
};

Imported import_by(const command::DataKind& kind, const std::vector<std::string>& arguments,
                   const std::string& file, const std::string& out) {
  const std::unique_ptr<command::DataAction> action = kind.actions.at(0)();
  command::Options options;
  action->declare(options);
  Imported result;
  Violations wrong;
  for (const command::Option& o : options.list()) {
    if (o.name == "FILE") o.set({file}, wrong);
    if (o.name == "--out") o.set({out}, wrong);
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
      if (o.name == arguments[i]) o.set({arguments[i + 1]}, wrong);
  }
  action->check(wrong);
  result.wrong = wrong.text();
  if (!wrong.empty()) return result;
  NoProgress progress;
  action->make(progress);
  action->write();
  JsonWriter json;
  json.begin_object(JsonWriter::Layout::line);
  action->write_json(json);
  json.end_object();
  result.json = json.take();
  result.text = action->text(80);
  return result;
}

class PluginImporter : public testing::Test {
 protected:
  PluginImporter() {
    built("toys").add_to(kinds_);
    first_plugin().add_to(kinds_);
    std::string lines;
    for (int i = 0; i < 150; ++i) lines += std::to_string(i) + "\n";
    write_text(folder_.file("in"), lines + "word\n");
  }

  ScratchFolder folder_{"plugin-import"};
  command::DataKinds kinds_;
};

TEST_F(PluginImporter, MakesWhatItsClassMakes) {
  const std::string out = folder_.file("out");
  const Imported made =
      import_by(*kinds_.find("digits"), {"--times", "2"}, folder_.file("in"), out);
  EXPECT_EQ(made.wrong, "");
  EXPECT_TRUE(read_text(out).starts_with("0\n0\n1\n1\n"));
  EXPECT_EQ(made.text, "wrote " + out + ": 150 lines\nleft out: 1 broken row of 151\n" +
                           "  in:151: no digit\n");
  EXPECT_NE(made.json.find("\"kept\": 150"), std::string::npos) << made.json;
  EXPECT_NE(made.json.find("\"of\": [\"digits\"]"), std::string::npos) << made.json;
  EXPECT_NE(made.json.find("\"broken\": 1"), std::string::npos) << made.json;
}

TEST_F(PluginImporter, RefusesFieldsByTheirOptions) {
  const Imported made =
      import_by(*kinds_.find("digits"), {"--times", "0"}, folder_.file("in"), folder_.file("out"));
  EXPECT_NE(made.wrong.find("--times"), std::string::npos) << made.wrong;
}

TEST_F(PluginImporter, InCReadsAndWrites) {
  const std::string out = folder_.file("out");
  const Imported made = import_by(*kinds_.find("first_numbers"), {}, folder_.file("in"), out);
  EXPECT_TRUE(read_text(out).starts_with("0\n1\n2\n"));
  EXPECT_NE(made.text.find("some numbers\n"), std::string::npos) << made.text;
  EXPECT_NE(made.json.find("\"kind\": \"numbers\""), std::string::npos) << made.json;
}

TEST_F(PluginImporter, ManyBrokenRowsAreRefused) {
  write_text(folder_.file("bad"), "1\nword\n");
  EXPECT_NE(error_of([&] {
              static_cast<void>(import_by(*kinds_.find("first_numbers"), {}, folder_.file("bad"),
                                          folder_.file("out")));
            }).find("broken"),
            std::string::npos);
}

}  // namespace plugin_importer_test
}  // namespace park::test
