// One layer of message passing as a single node of autograd. Nodes lie sorted by height; a pass
// takes runs of equal height, gathers the children's messages, applies two perceptrons and writes
// the embeddings. Backward walks the runs in the opposite order. plain_graph_layer is the same with
// plain operators, for tests and second derivatives. The graph networks of this folder call it.
#include "agents/net/cluster/graph_layer.h"

#include <ATen/core/ivalue.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "agents/net/cluster/graph_levels.h"
#include "agents/net/index_tensor.h"

namespace park::agents {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// What forward and backward work on: rows of all nodes.
struct Nodes {
  const GraphLevels& levels;
  const float* features;  // [N, F]
  std::int64_t feature_width, width, message_width;
  float *e, *sums;  // [N, E], [N, M]
};

/// Work on runs of nodes of equal height.
class Pass {
 public:
  Pass(const Nodes& n, PackedMlp& f, PackedMlp* g)
      : n_(n), f_(f), g_(g), messages_(at(n.levels.nodes() * n.message_width)) {}

  void forward() {
    for (std::size_t k = 0; k + 1 < n_.levels.runs.size(); ++k) {
      take(k, false);
      receive();
      take(k, true);
      send();
    }
  }

  /// `d` [N, E]: the gradient of e when it begins, that of x when it ends.
  void backward(float* d) {
    std::ranges::fill(messages_, 0.0f);  // their gradients from here on
    for (std::size_t k = n_.levels.runs.size() - 1; k-- > 0;) {
      take(k, true);
      send_back(d);
      take(k, false);
      receive_back(d);
    }
  }

 private:
  /// The nodes of a run that have a parent, or those that have children.
  void take(std::size_t run, bool senders) {
    nodes_.clear();
    const GraphLevels& l = n_.levels;
    for (std::int64_t i = l.runs[run]; i < l.runs[run + 1]; ++i) {
      const std::int64_t v = l.order[at(i)];
      if (senders ? l.sends[at(v)] != 0 : l.height[at(v)] > 0) nodes_.push_back(v);
    }
    count_ = static_cast<std::int64_t>(nodes_.size());
  }

  template <class Visit>
  void each_child(std::int64_t v, Visit&& visit) {
    for (std::int64_t c = n_.levels.offsets[at(v)]; c < n_.levels.offsets[at(v + 1)]; ++c)
      visit(messages_.data() + n_.levels.child[at(c)] * n_.message_width);
  }

  void receive() {
    const std::int64_t m = n_.message_width;
    for (const std::int64_t v : nodes_) {
      float* sum = n_.sums + v * m;
      std::fill_n(sum, m, 0.0f);
      each_child(v, [&](const float* message) {
        for (std::int64_t i = 0; i < m; ++i) sum[i] += message[i];
      });
    }
    const float* change = gathered(n_.sums, m, in_);
    if (g_ != nullptr) {
      out_.resize(at(count_ * n_.width));
      g_->forward(change, count_, out_.data());
      change = out_.data();
    }
    for (const std::int64_t v : nodes_)
      for (std::int64_t i = 0; i < n_.width; ++i) n_.e[v * n_.width + i] += *change++;
  }

  void send() {
    out_.resize(at(count_ * n_.message_width));
    f_.forward(inputs(), count_, out_.data());
    for (std::int64_t k = 0; k < count_; ++k)
      std::copy_n(out_.data() + k * n_.message_width, n_.message_width,
                  messages_.data() + nodes_[at(k)] * n_.message_width);
  }

  void send_back(float* d) {
    const std::int64_t in = f_.in();
    const float* x = inputs();
    d_in_.resize(at(count_ * in));
    f_.backward(x, count_, gathered(messages_.data(), n_.message_width, out_), d_in_.data());
    for (std::int64_t k = 0; k < count_; ++k)
      for (std::int64_t i = 0; i < n_.width; ++i)
        d[nodes_[at(k)] * n_.width + i] += d_in_[at(k * in + n_.feature_width + i)];
  }

  void receive_back(const float* d) {
    const float* change = gathered(d, n_.width, out_);
    if (g_ != nullptr) {
      d_in_.resize(at(count_ * n_.message_width));
      g_->backward(gathered(n_.sums, n_.message_width, in_), count_, change, d_in_.data());
      change = d_in_.data();
    }
    for (const std::int64_t v : nodes_) {
      each_child(v, [&](float* message) {
        for (std::int64_t i = 0; i < n_.message_width; ++i) message[i] += change[i];
      });
      change += n_.message_width;
    }
  }

  /// Rows of the nodes in work, one after the other.
  const float* gathered(const float* from, std::int64_t width, std::vector<float>& to) {
    to.resize(at(count_ * width));
    for (std::int64_t k = 0; k < count_; ++k)
      std::copy_n(from + nodes_[at(k)] * width, width, to.data() + k * width);
    return to.data();
  }
  /// What f takes of them.
  const float* inputs() {
    in_.resize(at(count_ * f_.in()));
    float* to = in_.data();
    for (const std::int64_t v : nodes_) {
      to = std::copy_n(n_.features + v * n_.feature_width, n_.feature_width, to);
      to = std::copy_n(n_.e + v * n_.width, n_.width, to);
    }
    return in_.data();
  }

  Nodes n_;
  PackedMlp& f_;
  PackedMlp* g_;
  std::vector<float> messages_;  // [N, M]
  std::vector<std::int64_t> nodes_;
  std::int64_t count_ = 0;
  std::vector<float> in_, out_, d_in_;
};

MlpStyle style(double slope, bool rectify_last) {
  return {static_cast<float>(slope), rectify_last};
}

/// The two perceptrons of a layer; parameters of f, then of g.
struct Perceptrons {
  Perceptrons(at::TensorList p, std::int64_t of_f, MlpStyle s, bool with_backward)
      : f(p.slice(0, at(of_f)), s, with_backward) {
    if (p.size() > at(of_f)) g.emplace(p.slice(at(of_f)), s, with_backward);
  }
  PackedMlp f;
  std::optional<PackedMlp> g;
  PackedMlp* update() { return g ? &*g : nullptr; }
};

Nodes nodes_of(const GraphLevels& levels, const at::Tensor& features, const at::Tensor& e,
               const at::Tensor& sums) {
  return {levels,       features.data_ptr<float>(), features.size(1),      e.size(1),
          sums.size(1), e.data_ptr<float>(),        sums.data_ptr<float>()};
}

struct FusedGraphLayer : torch::autograd::Function<FusedGraphLayer> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& features, const GraphLevelsPtr& levels, double slope,
                            bool rectify_last, std::int64_t of_f, at::TensorList parameters) {
    Perceptrons p(parameters, of_f, style(slope, rectify_last), false);
    at::Tensor e = x.contiguous().clone();
    const at::Tensor sums = at::empty({x.size(0), p.f.out()}, x.options());
    Pass(nodes_of(*levels, features, e, sums), p.f, p.update()).forward();
    variable_list saved{e, sums, features};
    saved.insert(saved.end(), parameters.begin(), parameters.end());
    context->save_for_backward(std::move(saved));
    context->saved_data["levels"] = c10::IValue::make_capsule(levels);
    context->saved_data["slope"] = slope;
    context->saved_data["rectify_last"] = rectify_last;
    context->saved_data["of_f"] = of_f;
    return e;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const auto levels = context->saved_data["levels"].toCapsule();
    Perceptrons p(at::TensorList(saved).slice(3), context->saved_data["of_f"].toInt(),
                  style(context->saved_data["slope"].toDouble(),
                        context->saved_data["rectify_last"].toBool()),
                  true);
    const at::Tensor d = gradients[0].contiguous().clone();
    Pass(nodes_of(static_cast<const GraphLevels&>(*levels), saved[2], saved[0], saved[1]), p.f,
         p.update())
        .backward(d.data_ptr<float>());
    variable_list all{d, {}, {}, {}, {}, {}};
    for (PackedMlp* mlp : {&p.f, p.update()})
      if (mlp != nullptr)
        for (at::Tensor& g : mlp->gradients()) all.push_back(std::move(g));
    return all;
  }
};

/// e with the nodes of one height done.
at::Tensor with_level(const at::Tensor& e, const at::Tensor& features, const GraphLevels& l,
                      const GraphLayer& layer, std::int64_t height) {
  std::vector<std::int64_t> nodes, child, place;
  for (std::int64_t v = 0; v < l.nodes(); ++v) {
    if (l.height[at(v)] != height) continue;
    for (std::int64_t c = l.offsets[at(v)]; c < l.offsets[at(v + 1)]; ++c) {
      child.push_back(l.child[at(c)]);
      place.push_back(static_cast<std::int64_t>(nodes.size()));
    }
    nodes.push_back(v);
  }
  const at::Tensor message = plain_perceptron(
      at::cat({features, e}, 1).index_select(0, index_tensor(child).to(e.device())), layer.message);
  at::Tensor sum =
      at::zeros({static_cast<std::int64_t>(nodes.size()), message.size(1)}, e.options())
          .index_add(0, index_tensor(place).to(e.device()), message);
  if (!layer.update.tensors.empty()) sum = plain_perceptron(sum, layer.update);
  return e.index_add(0, index_tensor(nodes).to(e.device()), sum);
}

}  // namespace

at::Tensor graph_layer(const at::Tensor& x, const at::Tensor& features,
                       const GraphLevelsPtr& levels, const GraphLayer& layer) {
  if (!x.is_cpu()) return plain_graph_layer(x, features, levels, layer);
  std::vector<at::Tensor> parameters = layer.message.tensors;
  const auto of_f = static_cast<std::int64_t>(parameters.size());
  parameters.insert(parameters.end(), layer.update.tensors.begin(), layer.update.tensors.end());
  const MlpStyle& style = layer.message.style;
  return FusedGraphLayer::apply(x, features.contiguous(), levels, static_cast<double>(style.slope),
                                style.rectify_last, of_f, at::TensorList(parameters));
}

at::Tensor plain_graph_layer(const at::Tensor& x, const at::Tensor& features,
                             const GraphLevelsPtr& levels, const GraphLayer& layer) {
  std::int64_t highest = 0;
  for (const std::int64_t h : levels->height) highest = std::max(highest, h);
  at::Tensor e = x;
  for (std::int64_t h = 1; h <= highest; ++h) e = with_level(e, features, *levels, layer, h);
  return e;
}

}  // namespace park::agents
