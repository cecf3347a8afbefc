// Graphs: what a file may have wrong, the backward pass, chains that are fused, generated families.
#include "park/envs/device_placement/graph.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "park/envs/device_placement/generator.h"
#include "park/envs/device_placement/graph_file.h"
#include "tests/kit/scratch_folder.h"

namespace park::test {
namespace placement_graph_test {

using namespace device_placement;

std::string file_of(const std::string& nodes) {
  return R"({"schema":"park.graph","version":1,"name":"g","nodes":[)" + nodes + "]}";
}
std::string error_in(const std::string& nodes) {
  return error_of([&] { static_cast<void>(parse_graph(file_of(nodes), "G")); });
}
const std::string kNode = R"({"name":"a","work_s":1,"output_bytes":2,"inputs":[]})";

TEST(GraphFiles, AreReadInTopologicalOrder) {
  const Graph g = parse_graph(
      file_of(R"({"name":"b","operation":"relu","shape":[1],"flops":3,"work_s":2,"output_bytes":20,
                  "inputs":["a","a"]},)"
              R"({"name":"c","work_s":3,"output_bytes":30,"parameters":"w","parameter_bytes":7,
                  "inputs":["b","a"]},)"
              R"({"name":"a","work_s":1,"output_bytes":10,"parameters":"w","parameter_bytes":7,
                  "inputs":[]})"),
      "G");
  EXPECT_EQ(g.work_s, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(g.owner, (std::vector<std::int32_t>{0, 1, 0}));  // c has the parameters of a
  ASSERT_EQ(g.edges.size(), 3u);                             // a named twice is one edge
  EXPECT_EQ(g.edges[0].to, 1);
  EXPECT_EQ(g.edges[1].to, 2);
  EXPECT_EQ(g.edges[1].bytes, 10);
  EXPECT_EQ(total_bytes(g), 10 + 20 + 30 + 7);
}

TEST(GraphFiles, SayInALineWhatIsWrong) {
  EXPECT_EQ(error_in(R"({"name":"a","work_s":-1,"output_bytes":2,"inputs":[]})"),
            "G: nodes[0]: work_s = -1 must be a number from 0 to 1000");
  EXPECT_EQ(error_in(R"({"name":"a","work_s":NaN,"output_bytes":2,"inputs":[]})"),
            "G: nodes[0]: work_s must be a number from 0 to 1000");
  EXPECT_EQ(error_in(R"({"name":"a","work_s":1,"output_bytes":2e12,"inputs":[]})"),
            "G: nodes[0]: output_bytes = 2e+12 must be a number from 0 to 1e+12");
  EXPECT_EQ(error_in(R"({"name":"a","output_bytes":2,"inputs":[]})"),
            "G: nodes[0]: work_s is missing");
  EXPECT_EQ(error_in(kNode + "," + kNode), "G: node 'a': there are two of that name");
  EXPECT_EQ(error_in(R"({"name":"a","work_s":1,"output_bytes":2,"inputs":["z"]})"),
            "G: node 'a': its input 'z' is no node");
  EXPECT_EQ(error_in(kNode + R"(,{"name":"b","work_s":1,"output_bytes":2,"inputs":["a","c"]})"
                             R"(,{"name":"c","work_s":1,"output_bytes":2,"inputs":["b"]})"),
            "G: node 'b': its inputs lie on a cycle");
  EXPECT_EQ(
      error_in(R"({"name":"a","work_s":1,"output_bytes":2,"parameters":"w",
                         "parameter_bytes":1,"inputs":[]},)"
               R"({"name":"b","work_s":1,"output_bytes":2,"parameters":"w",
                         "parameter_bytes":2,"inputs":[]})"),
      "G: node 'b': parameter_bytes = 2 must equal that of 'a', which has the same parameters");
  EXPECT_EQ(error_in(""), "G: nodes must list at least one node");
  EXPECT_EQ(error_of([] { static_cast<void>(parse_graph("{\"nodes\":[" + kNode + "]}", "G")); }),
            "G: schema must be \"park.graph\", with version 1");
  EXPECT_NE(error_of([] { static_cast<void>(parse_graph("nonsense", "G")); }).find("G: "),
            std::string::npos);
}

/// a -> b -> c -> d and a -> d.
Graph diamond() {
  Graph g;
  for (const double s : {1.0, 2.0, 3.0, 4.0}) g.add(s, 10 * s, s < 3 ? 100 : 0);
  g.connect(0, 1, 10);
  g.connect(1, 2, 20);
  g.connect(2, 3, 30);
  g.connect(0, 3, 10);
  g.sort_edges();
  return g;
}

TEST(Graphs, BackwardPassesMirror) {
  Graph g = diamond();
  add_training(g);
  EXPECT_EQ(g.work_s, (std::vector<double>{1, 2, 3, 4, 8, 6, 4, 2}));
  EXPECT_EQ(g.owner[6], 1);
  EXPECT_EQ(g.edges.size(), 4u + 4u + 4u);
  std::vector<std::pair<int, int>> of_last;  // gradient 4 is that of d: to those of a and of c
  for (const Edge& e : g.edges) {
    EXPECT_LT(e.from, e.to);
    if (e.from == 4) of_last.emplace_back(e.to, e.tensor);
  }
  EXPECT_EQ(of_last, (std::vector<std::pair<int, int>>{{7, 0}, {5, 2}}));
  std::vector<double> scratch;
  EXPECT_EQ(critical_path_s(g, scratch), 30);
  EXPECT_EQ(total_s(g), 30);
}

TEST(Graphs, ChainsFuse) {
  Graph g = diamond();
  fuse_chains(g);
  ASSERT_EQ(g.size(), 3u);  // b and c
  EXPECT_EQ(g.work_s, (std::vector<double>{1, 5, 4}));
  EXPECT_EQ(g.output_bytes[1], 50);
  EXPECT_EQ(g.parameter_bytes[1], 100);
  ASSERT_EQ(g.edges.size(), 3u);
  EXPECT_EQ(g.edges[2].bytes, 30);  // what leaves the chain is its last output
}

TEST(Graphs, SharedParametersAreNotFusedAway) {
  Graph g;
  g.add(1, 1, 50);
  g.add(1, 1, 50, 0);
  g.connect(0, 1, 1);
  fuse_chains(g);
  EXPECT_EQ(g.size(), 2u);
  EXPECT_EQ(g.owner[1], 0);
}

TEST(Graphs, BundledOnesAreWhatTheirNamesSay) {
  const auto open = [](const std::string& name) {
    return open_graph(std::string(PARK_SOURCE_DIR) + "/data/graphs/" + name + ".json");
  };
  const auto inception = open("inception_v3"), lstm = open("lstm");
  EXPECT_GT(inception->size(), 300u);
  EXPECT_GT(lstm->size(), 2200u);
  double parameters = 0;
  for (std::size_t i = 0; i < lstm->size(); ++i)
    if (lstm->owner[i] == static_cast<std::int32_t>(i)) parameters += lstm->parameter_bytes[i];
  EXPECT_LT(parameters, 1e9);  // 1.7 GB and more if each use of a weight counted
}

TEST(GeneratedGraphs, FollowFromTheGenerator) {
  for (const Family family : {Family::branches, Family::recurrences, Family::layered}) {
    Graph one, two, other;
    generate(family, 50, Rng(1), one);
    generate(family, 50, Rng(1), two);
    generate(family, 50, Rng(2), other);
    EXPECT_EQ(one.work_s, two.work_s);
    EXPECT_NE(one.work_s, other.work_s);
    EXPECT_NEAR(static_cast<double>(one.size()), 50, 15);
    for (const Edge& e : one.edges) EXPECT_LT(e.from, e.to);
  }
}

}  // namespace placement_graph_test
}  // namespace park::test
