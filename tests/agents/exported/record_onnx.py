#!/usr/bin/env python3
"""Records what the reference evaluator of ONNX says of small models, for onnx_operators_test.cc.

    python3 -m venv VENV && VENV/bin/pip install onnx==1.23.2
    VENV/bin/python tests/agents/exported/record_onnx.py tests/agents/exported/data/operators.txt

A case is four kinds of lines: `case NAME`, `model HEX`, and `input` and `output` with the shape and the numbers.
Each model has one input x [3, 4], and casts its output to floats, so that whole numbers and flags are
compared as well.
"""

import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

X = np.array([[0.5, -1.25, 2, 0], [3, 0.25, -0.75, -4], [1, 1, -2.5, 0.125]], np.float32)
W = (np.arange(20, dtype=np.float32).reshape(4, 5) - 9) / 8
V = np.array([0.5, -1, 2, 0.25], np.float32)
POSITIVE = np.abs(X) + 0.5


def ints(*values):
    return np.array(values, np.int64)


# name: operator, further inputs, attributes, number of outputs, and in place of x another first input.
CASES = {
    **{name: (name, [], {}) for name in (
        "Identity Relu Tanh Sigmoid Softplus Exp Abs Neg Sign Floor Ceil Round Erf LeakyRelu Elu HardSigmoid "
        "Flatten Transpose Shape Softmax LogSoftmax ReduceMean ReduceSum ReduceMax ReduceMin Dropout").split()},
    **{name: (name, [], {}, 1, POSITIVE) for name in "Log Sqrt Reciprocal".split()},
    **{name: (name, [V], {}) for name in "Add Sub Mul Div Min Max Sum Equal Less LessOrEqual Greater "
                                         "GreaterOrEqual".split()},
    "leaky_alpha": ("LeakyRelu", [], {"alpha": 0.3}),
    "elu_alpha": ("Elu", [], {"alpha": 0.5}),
    "hard_sigmoid_line": ("HardSigmoid", [], {"alpha": 0.3, "beta": 0.4}),
    "gelu": ("Gelu", [], {}),
    "gelu_tanh": ("Gelu", [], {"approximate": "tanh"}),
    "pow": ("Pow", [np.array(3, np.float32)], {}),
    "clip": ("Clip", [np.array(-1, np.float32), np.array(1.5, np.float32)], {}),
    "clip_low": ("Clip", [np.array(-1, np.float32)], {}),
    "cast_whole": ("Cast", [], {"to": TensorProto.INT64}),
    "cast_flag": ("Cast", [], {"to": TensorProto.BOOL}),
    "whole_quotient": ("Div", [ints(2)], {}, 1, ints(7, -7, 5, -5).reshape(2, 2)),
    "not": ("Not", [], {}, 1, X > 0),
    "and": ("And", [V > 0], {}, 1, X > 0),
    "or": ("Or", [V > 0], {}, 1, X > 0),
    "where": ("Where", [X, -X], {}, 1, X > 0),
    "matmul": ("MatMul", [W], {}),
    "gemm": ("Gemm", [W, np.arange(5, dtype=np.float32)], {"alpha": 0.5, "beta": 2.0}),
    "gemm_transposed": ("Gemm", [W[:3], ], {"transA": 1}),
    "gemm_transposed_b": ("Gemm", [np.ascontiguousarray(W.T)], {"transB": 1}),
    "softmax_rows": ("Softmax", [], {"axis": 0}),
    "reduce_axes": ("ReduceMean", [ints(1)], {"keepdims": 0}),
    "reduce_none": ("ReduceSum", [ints()], {"noop_with_empty_axes": 1}),
    "reduce_first": ("ReduceMax", [ints(0)], {}),
    "arg_max": ("ArgMax", [], {"axis": 1, "keepdims": 0}),
    "layer": ("LayerNormalization", [V, -V], {"epsilon": 1e-3}),
    "layer_all": ("LayerNormalization", [X], {"axis": 0}),
    "batch": ("BatchNormalization", [V, V + 1, V / 2, V * V + 1], {"epsilon": 1e-3}),
    "concat": ("Concat", [X[:, :2]], {"axis": 1}),
    "concat_rows": ("Concat", [X[:1]], {"axis": -2}),
    "reshape": ("Reshape", [ints(2, -1)], {}),
    "reshape_kept": ("Reshape", [ints(0, 2, 2)], {}),
    "flatten_all": ("Flatten", [], {"axis": 0}),
    "squeeze": ("Squeeze", [ints(0, 2)], {}, 1, X.reshape(1, 3, 1, 4)),
    "squeeze_all": ("Squeeze", [], {}, 1, X.reshape(1, 3, 1, 4)),
    "unsqueeze": ("Unsqueeze", [ints(0, -1)], {}),
    "transpose": ("Transpose", [], {"perm": [1, 2, 0]}, 1, X.reshape(3, 2, 2)),
    "slice": ("Slice", [ints(1), ints(9), ints(1), ints(2)], {}),
    "slice_end": ("Slice", [ints(-2, 0), ints(2**62, -1)], {}),
    "gather": ("Gather", [ints(2, -1, 0)], {"axis": 1}),
    "gather_table": ("Gather", [ints(2, 0, 1, 1).reshape(2, 2)], {}),
    "split": ("Split", [ints(1, 3)], {"axis": 1}, 2),
    "split_even": ("Split", [], {"axis": 1, "num_outputs": 2}, 2),
    "expand": ("Expand", [ints(2, 3, 1)], {}),
    "expand_less": ("Expand", [ints(4)], {}),
    "shape_part": ("Shape", [], {"start": -1}),
    "constant_of_shape": ("ConstantOfShape", [], {"value": numpy_helper.from_array(np.array([7], np.float32))}, 1,
                          ints(2, 3)),
    "one_hot": ("OneHot", [np.array(5), np.array([-1, 2], np.float32)], {}, 1, ints(0, 4, -2)),
    "one_hot_first": ("OneHot", [np.array(3), np.array([0, 1], np.float32)], {"axis": 0}, 1, ints(0, 2)),
}


def model_of(op, others, attributes, outputs=1, first=None):
    """The first input is x or a constant in its place; outputs are cast to floats, then to two dimensions."""
    opset = 20 if op == "Gelu" else 18
    nodes, constants = [], []
    names = ["x"] if first is None else ["c0"]
    for i, value in enumerate(([] if first is None else [first]) + others):
        name = f"c{i}" if first is not None else f"c{i + 1}"
        constants.append(numpy_helper.from_array(np.asarray(value), name))
        if name not in names:
            names.append(name)
    made = [f"y{i}" for i in range(outputs)]
    nodes.append(helper.make_node(op, names, made, **attributes))
    if first is not None:  # an input that is not used is none: some operator has to take x
        nodes.append(helper.make_node("Identity", ["x"], ["unused"]))
    results = []
    for name in made:
        nodes.append(helper.make_node("Cast", [name], ["f" + name], to=TensorProto.FLOAT))
        results.append(helper.make_tensor_value_info("f" + name, TensorProto.FLOAT, None))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 4])
    graph = helper.make_graph(nodes, "case", [x], results, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def numbers(kind, array):
    shape = " ".join(map(str, array.shape))
    values = " ".join(repr(float(v)) for v in array.ravel())
    return f"{kind} {array.ndim} {shape} {values}".replace("  ", " ").rstrip() + "\n"


def main():
    text = ""
    for name, case in CASES.items():
        model = model_of(*case)
        text += f"case {name}\nmodel {model.SerializeToString().hex()}\n" + numbers("input", X)
        for output in ReferenceEvaluator(model).run(None, {"x": X}):
            text += numbers("output", np.asarray(output, np.float32))
    Path(sys.argv[1]).write_text(text)


main()
