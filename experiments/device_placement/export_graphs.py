#!/usr/bin/python3
"""Traces neural networks and writes their operations as graphs for device placement.

    experiments/device_placement/export_graphs.py --out data/graphs

Needs Debian's python3-torch 1.13 and python3-torchvision 0.14. Weights are random, and every shape comes
from one run. The time of an operation is a profile, not a measurement: 5.7 us + max(flops / 8e12,
bytes moved / 5e11) seconds. The same versions write the same bytes.
"""

import argparse
import json
from pathlib import Path

import torch
import torchvision
from torch import fx, nn

LAUNCH_S, FLOPS_PER_S, BYTES_PER_S = 5.7e-6, 8e12, 5e11
WORDS = 4  # bytes of a value
# Operations that make no tensor of their own: views, sizes, and the parts of a tuple.
VIEWS = ("getitem", "view", "flatten", "reshape", "transpose", "permute", "unbind", "size", "getattr", "chunk",
         "squeeze", "unsqueeze", "dropout")


class Attention(nn.Module):
    """Multi-head self-attention, written out."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.part = heads, width // heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        def split(y):
            return y.view(8, 128, self.heads, self.part).transpose(1, 2)
        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        weights = torch.softmax(torch.matmul(q, k.transpose(2, 3)) / self.part ** 0.5, -1)
        y = torch.matmul(weights, v).transpose(1, 2).reshape(8, 128, self.heads * self.part)
        return self.out(y)


class Layer(nn.Module):
    """A layer of a transformer's encoder (Vaswani et al., 2017)."""

    def __init__(self, width, heads, inner):
        super().__init__()
        self.attention = Attention(width, heads)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.down(torch.relu(self.up(x))))


class Transformer(nn.Module):
    """Six layers of width 512; batch 8, 128 words."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(32000, 512)
        self.layers = nn.ModuleList(Layer(512, 8, 2048) for _ in range(6))
        self.head = nn.Linear(512, 32000)

    def forward(self, words):
        x = self.embedding(words)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Cell(nn.Module):
    """A cell of a long short-term memory."""

    def __init__(self, inputs, width):
        super().__init__()
        self.x, self.h = nn.Linear(inputs, 4 * width), nn.Linear(width, 4 * width)

    def forward(self, x, h, c):
        gates = torch.chunk(self.x(x) + self.h(h), 4, 1)
        c = torch.sigmoid(gates[0]) * c + torch.sigmoid(gates[1]) * torch.tanh(gates[2])
        return torch.sigmoid(gates[3]) * torch.tanh(c), c


class EncoderDecoder(nn.Module):
    """Four layers of LSTM for encoder and decoder each, attention, unrolled over 16 words; batch 64."""

    def __init__(self, layers=4, width=1024, words=32000, steps=16):
        super().__init__()
        self.steps, self.width = steps, width
        self.source, self.target = nn.Embedding(words, width), nn.Embedding(words, width)
        self.encoder = nn.ModuleList(Cell(width, width) for _ in range(layers))
        self.decoder = nn.ModuleList(Cell(2 * width if k == 0 else width, width) for k in range(layers))
        self.head = nn.Linear(2 * width, words)

    def run(self, cells, x, state):
        for k, cell in enumerate(cells):
            state[k] = cell(x, *state[k])
            x = state[k][0]
        return x

    def forward(self, source, target, zero):
        state = [(zero, zero) for _ in self.encoder]
        seen = torch.stack([self.run(self.encoder, self.source(source[:, t]), state)
                            for t in range(self.steps)], 1)
        context, out = zero, []
        for t in range(self.steps):
            x = torch.cat([self.target(target[:, t]), context], 1)
            h = self.run(self.decoder, x, state)
            weights = torch.softmax(torch.matmul(seen, h.unsqueeze(2)), 1)
            context = torch.matmul(weights.transpose(1, 2), seen).squeeze(1)
            out.append(self.head(torch.cat([h, context], 1)))
        return torch.stack(out, 1)


def models():
    """Name, what it is, module, example inputs."""
    vision = torchvision.models
    image = (torch.zeros(8, 3, 224, 224),)
    yield ("inception_v3", "torchvision inception_v3, without its auxiliary head, eight images",
           vision.inception_v3(weights=None, aux_logits=False, init_weights=False),
           (torch.zeros(8, 3, 299, 299),))
    yield ("googlenet", "torchvision googlenet, without its auxiliary heads, eight images",
           vision.googlenet(weights=None, aux_logits=False, init_weights=False), image)
    yield "resnet50", "torchvision resnet50, eight images", vision.resnet50(weights=None), image
    words = torch.zeros(8, 128, dtype=torch.long)
    yield "transformer", "encoder of six layers, width 512, batch 8, 128 words", Transformer(), (words,)
    words = torch.zeros(64, 16, dtype=torch.long)
    yield ("lstm", "LSTM encoder-decoder with attention, four layers each, 16 words, batch 64",
           EncoderDecoder(), (words, words, torch.zeros(64, 1024)))


def shapes_of(value):
    """The shapes of all tensors of a value."""
    if isinstance(value, torch.Tensor):
        return [list(value.shape)]
    if isinstance(value, (tuple, list)):
        return [shape for part in value for shape in shapes_of(part)]
    return []


class Shapes(fx.Interpreter):
    """Runs a trace on shapes alone, and keeps the shapes of each node's output."""

    def __init__(self, module):
        super().__init__(module)
        self.shapes = {}

    def run_node(self, node):
        value = super().run_node(node)
        self.shapes[node.name] = shapes_of(value)
        return value


def count(shape):
    """Values of a tensor."""
    values = 1
    for length in shape:
        values *= length
    return values


def operation_of(node, modules):
    """The kind of an operation, in small letters."""
    if node.op == "call_module":
        return type(modules[node.target]).__name__.lower()
    target = node.target if isinstance(node.target, str) else node.target.__name__
    return target.strip("_").lower()


def flops_of(node, operation, inputs, out, module):
    """Multiplications and additions of an operation."""
    values = sum(count(s) for s in out)
    if operation == "conv2d":
        k = module.kernel_size
        return 2 * values * module.in_channels // module.groups * k[0] * k[1]
    if operation == "linear":
        return 2 * values * module.in_features
    if operation == "matmul":
        return 2 * values * inputs[0][-1]
    if operation in ("maxpool2d", "max_pool2d", "avg_pool2d", "avgpool2d"):
        return 9 * values
    if operation in VIEWS or operation in ("placeholder", "output", "embedding"):
        return 0
    return (5 if operation in ("batchnorm2d", "layernorm", "softmax") else 1) * values


def node_of(node, shapes, modules):
    """An operation as an object of the file."""
    operation = operation_of(node, modules) if node.op.startswith("call") else node.op
    module = modules.get(node.target) if node.op == "call_module" else None
    inputs = [s for i in node.all_input_nodes for s in shapes[i.name]]
    out = shapes[node.name]
    parameters = sum(p.numel() for p in module.parameters()) if module is not None else 0
    moved = sum(count(s) for s in inputs + out) + (0 if operation == "embedding" else parameters)
    if operation in VIEWS or node.op in ("placeholder", "get_attr"):
        moved = 0
    flops = flops_of(node, operation, inputs, out, module)
    made = {"name": node.name, "operation": operation, "shape": out[0] if len(out) == 1 else [],
            "flops": flops, "work_s": float(f"{LAUNCH_S + max(flops / FLOPS_PER_S, WORDS * moved / BYTES_PER_S):.4g}"),
            "output_bytes": WORDS * sum(count(s) for s in out)}
    if parameters:
        made |= {"parameters": node.target, "parameter_bytes": WORDS * parameters}
    made["inputs"] = [i.name for i in node.all_input_nodes]
    return made


def export(name, what, module, inputs):
    """The text of a file."""
    traced = fx.symbolic_trace(module.eval().to("meta"))
    run = Shapes(traced)
    with torch.no_grad():
        run.run(*(x.to("meta") for x in inputs))
    modules = dict(traced.named_modules())
    # What makes no tensor (sizes, attributes) is no operation; the output only hands on.
    nodes = [n for n in traced.graph.nodes if n.op != "output" and run.shapes[n.name]]
    lines = [json.dumps(node_of(n, run.shapes, modules), separators=(",", ":")) for n in nodes]
    head = json.dumps({"schema": "park.graph", "version": 1, "name": name, "summary": what})
    return head[:-1] + ', "nodes": [\n' + ",\n".join(lines) + "\n]}\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for the files")
    parser.add_argument("--only", help="the name of one graph")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, what, module, inputs in models():
        if options.only in (None, name):
            text = export(name, what, module, inputs)
            (options.out / f"{name}.json").write_text(text, encoding="utf-8")
            print(f"{name}: {text.count('work_s')} operations, {len(text)} bytes")


if __name__ == "__main__":
    main()
