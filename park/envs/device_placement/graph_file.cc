// Reads a graph in three steps: the nodes as the text has them; then, by name, their inputs and the
// parameters that they share; then a topological order, in which they enter the Graph.
#include "park/envs/device_placement/graph_file.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <system_error>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/envs/device_placement/config.h"
#include "park/files/json_cursor.h"
#include "park/files/read.h"
#include "park/files/stamp_cache.h"

namespace park::device_placement {
namespace {

struct Node {
  std::string name, parameters;
  double work_s = -1, output_bytes = -1, parameter_bytes = 0;
  std::vector<std::string> inputs;
};

/// The text of one file, as it is read.
class GraphText {
 public:
  GraphText(std::string_view text, std::string file) : json_(text), file_(std::move(file)) {}

  std::vector<Node> nodes() {
    try {
      read();
      json_.finish();
    } catch (const files::JsonError& error) {
      fail(where_ + error.what());
    }
    if (!schema_) fail("schema must be \"park.graph\", with version 1");
    if (nodes_.empty()) fail("nodes must list at least one node");
    return std::move(nodes_);
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Errc::bad_file, file_ + ": " + why);
  }

 private:
  void read() {
    std::string_view key;
    json_.enter_object();
    while (json_.next_key(key)) {
      if (key == "schema") {
        schema_ = json_.plain_text() == "park.graph";
      } else if (key == "version") {
        if (json_.integer() != 1) fail("version must be 1");
      } else if (key == "nodes") {
        json_.enter_array();
        while (json_.next_element()) read_node();
      } else {
        json_.skip();
      }
    }
  }

  void read_node() {
    if (nodes_.size() == static_cast<std::size_t>(kMaxNodes) / 2)
      fail("nodes has more than " + std::to_string(kMaxNodes / 2) + " nodes");
    Node& node = nodes_.emplace_back();
    where_ = "nodes[" + std::to_string(nodes_.size() - 1) + "]: ";
    std::string_view key;
    json_.enter_object();
    while (json_.next_key(key)) read_member(key, node);
    if (node.name.empty()) fail(where_ + "name is missing");
    if (node.work_s < 0) fail(where_ + "work_s is missing");
    if (node.output_bytes < 0) fail(where_ + "output_bytes is missing");
    if (node.parameters.empty() && node.parameter_bytes > 0)
      fail(where_ + "parameter_bytes needs the name of its parameters");
    where_.clear();
  }

  void read_member(std::string_view key, Node& node) {
    if (key == "name") {
      json_.text(node.name);
    } else if (key == "parameters") {
      json_.text(node.parameters);
    } else if (key == "work_s") {
      node.work_s = number("work_s", kMaxSeconds);
    } else if (key == "output_bytes") {
      node.output_bytes = number("output_bytes", kMaxBytes);
    } else if (key == "parameter_bytes") {
      node.parameter_bytes = number("parameter_bytes", kMaxBytes);
    } else if (key == "inputs") {
      json_.enter_array();
      while (json_.next_element()) json_.text(node.inputs.emplace_back());
    } else {
      json_.skip();
    }
  }

  double number(const char* member, double most) {
    const std::string allowed = std::string(" must be a number from 0 to ") + number_text(most);
    double value = 0;
    try {
      value = json_.number();
    } catch (const files::JsonError&) {
      fail(where_ + member + allowed);
    }
    if (!(value >= 0 && value <= most))
      fail(where_ + member + " = " + number_text(value) + allowed);
    return value;
  }

  files::JsonCursor json_;
  std::string file_, where_;
  std::vector<Node> nodes_;
  bool schema_ = false;
};

using Inputs = std::vector<std::vector<std::size_t>>;

/// The inputs of each node by number, each once.
Inputs linked(const std::vector<Node>& nodes, const GraphText& text) {
  std::map<std::string_view, std::size_t> number;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!number.emplace(nodes[i].name, i).second)
      text.fail("node '" + nodes[i].name + "': there are two of that name");
  Inputs inputs(nodes.size());
  std::size_t edges = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& name : nodes[i].inputs) {
      const auto found = number.find(name);
      if (found == number.end())
        text.fail("node '" + nodes[i].name + "': its input '" + name + "' is no node");
      auto& of = inputs[i];
      if (std::find(of.begin(), of.end(), found->second) == of.end()) of.push_back(found->second);
    }
    edges += inputs[i].size();
  }
  if (edges > static_cast<std::size_t>(kMaxEdges) / 4)
    text.fail("inputs has more than " + std::to_string(kMaxEdges / 4) + " entries in all");
  return inputs;
}

/// A topological order; of those that are free the first in the text comes first.
std::vector<std::size_t> ordered(const std::vector<Node>& nodes, const Inputs& inputs,
                                 const GraphText& text) {
  const std::size_t n = nodes.size();
  std::vector<std::size_t> missing(n);
  Inputs users(n);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> free;
  for (std::size_t i = 0; i < n; ++i) {
    missing[i] = inputs[i].size();
    for (const std::size_t from : inputs[i]) users[from].push_back(i);
    if (missing[i] == 0) free.push(i);
  }
  std::vector<std::size_t> order;
  while (!free.empty()) {
    order.push_back(free.top());
    free.pop();
    for (const std::size_t to : users[order.back()])
      if (--missing[to] == 0) free.push(to);
  }
  for (std::size_t i = 0; i < n && order.size() < n; ++i)
    if (missing[i] > 0) text.fail("node '" + nodes[i].name + "': its inputs lie on a cycle");
  return order;
}

}  // namespace

Graph parse_graph(std::string_view text, const std::string& name) {
  GraphText reader(text, name);
  const std::vector<Node> nodes = reader.nodes();
  const Inputs inputs = linked(nodes, reader);
  Graph graph;
  std::vector<std::int32_t> number(nodes.size());
  std::map<std::string_view, std::size_t> owners;
  for (const std::size_t i : ordered(nodes, inputs, reader)) {
    const Node& node = nodes[i];
    std::int32_t own = -1;
    if (!node.parameters.empty()) {
      const auto [owner, first] = owners.emplace(node.parameters, i);
      if (!first) own = number[owner->second];
      if (nodes[owner->second].parameter_bytes != node.parameter_bytes)
        reader.fail("node '" + node.name + "': parameter_bytes = " +
                    number_text(node.parameter_bytes) + " must equal that of '" +
                    nodes[owner->second].name + "', which has the same parameters");
    }
    number[i] = graph.add(node.work_s, node.output_bytes, node.parameter_bytes, own);
    for (const std::size_t from : inputs[i])
      graph.connect(number[from], number[i], nodes[from].output_bytes);
  }
  graph.sort_edges();
  return graph;
}

std::shared_ptr<const Graph> open_graph(const std::string& path) {
  static files::StampCache<std::string, Graph> cache;
  std::error_code error;
  const files::FileStamp stamp = files::stamp_of(path, error);
  if (error)
    throw Error(Errc::io, "graph: cannot read '" + path + "': " + error.message() +
                              "; allowed are a file of a graph and " + std::string(kGraphNames));
  return cache.get(path, {stamp}, [&] {
    return std::make_shared<const Graph>(parse_graph(files::text_of(path, "graph"), path));
  });
}

}  // namespace park::device_placement
