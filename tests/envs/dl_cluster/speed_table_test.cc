// Tables of speeds: what is refused, with its line; interpolation; the bundled table; fits; DL2's
// format on a table of our own, and on the published one where it is.
#include "park/envs/dl_cluster/speed_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include "park/envs/dl_cluster/dl2_table.h"
#include "park/envs/dl_cluster/speed_fit.h"
#include "tests/envs/dl_cluster/fixture.h"
#include "tests/kit/reference_data.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/temporary_file.h"

namespace park::test {
namespace speed_table_test {

using dl_cluster::SpeedPoint;
using dl_cluster::SpeedTable;

std::string refused(const std::string& text) {
  return error_of([&] { (void)SpeedTable::parse(text, "t.csv"); });
}

TEST(SpeedTable, GoesThroughItsPoints) {
  const SpeedTable table = SpeedTable::parse(kToyTable, "t.csv");
  ASSERT_EQ(table.types().size(), 1U);
  for (const SpeedPoint& p : table.types()[0].points)
    EXPECT_NEAR(table.speed(0, p.servers, p.workers), p.samples_per_s, 1e-9);
  // Symmetric points: the middle of a square of a plane is its mean.
  const SpeedTable plane = SpeedTable::parse(
      "type,a,1,0,1,0,1,1\nspeed,a,1,1,4\nspeed,a,1,3,6\nspeed,a,3,1,6\nspeed,a,3,3,8\n", "t.csv");
  EXPECT_NEAR(plane.speed(0, 2, 1), plane.speed(0, 1, 2), 1e-9);
  EXPECT_GT(plane.speed(0, 2, 2), 4);
  EXPECT_LT(plane.speed(0, 2, 2), 8);
}

TEST(SpeedTable, ItsTextIsATableAgain) {
  const SpeedTable table = SpeedTable::parse(kToyTable, "t.csv");
  const SpeedTable again = SpeedTable::parse(table.text(), "again.csv");
  ASSERT_EQ(again.types().size(), 1U);
  EXPECT_EQ(again.types()[0].about, table.types()[0].about);
  EXPECT_EQ(again.types()[0].points, table.types()[0].points);
}

TEST(SpeedTable, SaysTheLineOfWhatIsWrong) {
  const std::string toy = kToyTable;
  EXPECT_EQ(refused(""), "t.csv: has no types");
  EXPECT_EQ(refused(toy + "speed,toy,2,2,19\n"),
            "t.csv:6: type 'toy' has two speeds with 2 servers and 2 workers");
  EXPECT_EQ(refused(toy + "speed,toy,3,2,-1\n"),
            "t.csv:6: samples_per_s must be a number from 0 to 1e+09");
  EXPECT_EQ(refused(toy + "speed,toy,3,2,nan\n"),
            "t.csv:6: samples_per_s must be a number from 0 to 1e+09");
  EXPECT_EQ(refused(toy + "speed,toy,3,2,inf\n"),
            "t.csv:6: samples_per_s must be a number from 0 to 1e+09");
  EXPECT_EQ(refused(toy + "speed,toy,3.5,2,1\n"), "t.csv:6: servers must be a whole number");
  EXPECT_EQ(refused(toy + "speed,toy,0,2,1\n"), "t.csv:6: servers must be a number from 1 to 1024");
  EXPECT_EQ(refused(toy + "speed,toy,3,2\n"),
            "t.csv:6: a speed must have 5 fields: speed, name, servers, workers, samples_per_s");
  EXPECT_EQ(refused(toy + "spee,toy,3,2,1\n"),
            "t.csv:6: a line must begin with 'type,', 'speed,' or '#'");
  EXPECT_EQ(refused(toy + "type,toy,2,4,2,0,100,1\n"), "t.csv:6: type 'toy' is there twice");
  EXPECT_EQ(refused(toy + "type,,2,4,2,0,100,1\n"),
            "t.csv:6: a name must be 1 to 64 visible characters without comma");
  EXPECT_EQ(refused("type,a,2,4,2,0,100,1\nspeed,a,1,1,1\nspeed,a,1,2,1\nspeed,a,2,1,1\n"),
            "t.csv:1: type 'a' has 3 speeds and needs 4 or more");
  EXPECT_EQ(refused("# speeds alone\nspeed,a,1,1,1\nspeed,a,1,2,1\nspeed,a,2,1,1\nspeed,a,2,2,1\n"),
            "t.csv:2: type 'a' has no sizes: a line 'type,...' is missing");
}

TEST(SpeedTable, NamesTypesThatStandStill) {
  const SpeedTable table = SpeedTable::parse(std::string(kToyTable) +
                                                 "type,falls,2,4,2,0,100,1\nspeed,falls,1,1,10\n"
                                                 "speed,falls,1,2,4\nspeed,falls,1,3,0\n"
                                                 "speed,falls,2,1,10\n",
                                             "t.csv");
  EXPECT_EQ(table.standing_still(2, 2), std::vector<std::string>{});
  EXPECT_EQ(table.standing_still(16, 16), std::vector<std::string>{"falls"});
}

TEST(SpeedTable, BundledTypesDifferInWhatIsBest) {
  const auto table = SpeedTable::open("psworker");
  std::set<std::pair<int, int>> best;
  for (std::size_t t = 0; t < table->types().size(); ++t) {
    std::pair<int, int> at{1, 1};
    for (int s = 1; s <= 16; ++s)
      for (int w = 1; w <= 16; ++w)
        if (table->speed(t, s, w) > table->speed(t, at.first, at.second)) at = {s, w};
    best.insert(at);
  }
  EXPECT_EQ(best.size(), table->types().size());
  EXPECT_EQ(table->standing_still(16, 16), std::vector<std::string>{});
}

TEST(SpeedTable, FilesThatAreMissingAreNamed) {
  EXPECT_EQ(error_of([] { (void)SpeedTable::open("/nowhere/speeds.csv"); }),
            "table: cannot read '/nowhere/speeds.csv': No such file or directory");
}

TEST(SpeedFit, FindsTheFormulaThatMadeThePoints) {
  const SpeedTable table = SpeedTable::psworker();
  for (const SpeedTable::Type& type : table.types()) {
    const auto fit = dl_cluster::fit_speeds(dl_cluster::measured_points(type));
    for (const double s : {1.0, 3.0, 11.0})
      for (const double w : {1.0, 5.0, 13.0}) {
        const double truth = type.formula->samples_per_s(s, w);
        EXPECT_NEAR(fit.samples_per_s(s, w) / truth, 1, 0.02) << type.about.name << s << ' ' << w;
      }
  }
}

const std::string kDl2 =
    "('vgg-16', 'dist_sync', 32, 1, 1, [3.5], [1.9], [0.5])\n"
    "('vgg-16', 'dist_sync', 32, 1, 2, [2.5, 2.25], [1.9], [0.4, 0.4])\n"
    "('vgg-16', 'dist_sync', 32, 2, 1, [6], [1.9, 1.1], [0.9])\n"
    "('vgg-16', 'dist_sync', 32, 2, 2, [4, 4.5], [1.9, 1.1], [0.9, 0.8])\n";

/// The four points for each of the eight models.
std::string dl2_text() {
  std::string all;
  for (const char* model : {"resnet-50", "vgg-16", "resnext-110", "inception-bn", "seq2seq",
                            "cnn-text-classification", "dssm", "wlm"}) {
    std::string one = kDl2;
    for (std::size_t at; (at = one.find("vgg-16")) != std::string::npos;)
      one.replace(at, 6, std::string(model) == "vgg-16" ? "VGG" : model);
    for (std::size_t at; (at = one.find("VGG")) != std::string::npos;) one.replace(at, 3, "vgg-16");
    all += one;
  }
  return all;
}

std::string refused_dl2(const std::string& line) {
  return error_of([&] { (void)dl_cluster::parse_dl2(dl2_text() + line + '\n', "c.txt"); });
}

TEST(Dl2Table, AddsUpTheSpeedsOfTheWorkers) {
  const SpeedTable table = dl_cluster::parse_dl2(dl2_text(), "c.txt");
  ASSERT_EQ(table.types().size(), 8U);
  EXPECT_EQ(table.types()[1].about.name, "vgg-16");
  EXPECT_NEAR(table.speed(1, 1, 2), 4.75, 1e-9);
  EXPECT_NEAR(table.speed(1, 2, 2), 8.5, 1e-9);
  EXPECT_EQ(table.types()[1].about.epoch_samples, 115);
}

TEST(Dl2Table, SaysTheLineOfWhatIsDamaged) {
  const std::string form =
      "must be ('model', 'mode', batch, servers, workers, [speed of each worker], [CPU of "
      "servers], [CPU of workers]), with numbers of at least 0";
  EXPECT_EQ(refused_dl2("('vgg-16', 'dist_sync', 32, 3, 1, [3.5"), "c.txt:33: " + form);
  EXPECT_EQ(refused_dl2("('vgg-16', 'dist_sync', 32, 3, 1, [-3.5], [1], [1])"),
            "c.txt:33: " + form);
  EXPECT_EQ(refused_dl2("('vgg-16', 'dist_sync', 32, 3, 1, [nan], [1], [1])"), "c.txt:33: " + form);
  EXPECT_EQ(refused_dl2("('vgg-16', 'dist_sync', 32, 3, 2, [3.5], [1], [1])"),
            "c.txt:33: there must be one speed for each of the workers");
  EXPECT_EQ(refused_dl2("('alexnet', 'dist_sync', 32, 3, 1, [3.5], [1], [1])"),
            "c.txt:33: 'alexnet' is none of the models whose sizes are known");
  EXPECT_EQ(refused_dl2("('vgg-16', 'dist_sync', 32, 1, 1, [3.5], [1], [1])"),
            "c.txt:33: type 'vgg-16' has two speeds with 1 servers and 1 workers");
}

TEST(Dl2Table, IsReadByTheFieldTable) {
  const TemporaryFile file(dl2_text());
  EXPECT_EQ(SpeedTable::open(file.path())->types().size(), 8U);
}

TEST(Dl2Reference, HasThePublishedPoints) {
  const auto path = reference_data("dl2");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs DL2's speeds in " << path;
  const auto table = SpeedTable::open(path.string());
  ASSERT_EQ(table->types().size(), 8U);
  std::size_t points = 0;
  for (const SpeedTable::Type& type : table->types()) points += type.points.size();
  EXPECT_EQ(points, 804U);
  EXPECT_NEAR(table->speed(0, 1, 1), 15.783, 1e-6);
  // More workers with one server make resnet-50 slower.
  EXPECT_NEAR(table->speed(0, 1, 8), 8 * 1.11, 1e-6);
}

}  // namespace speed_table_test
}  // namespace park::test
