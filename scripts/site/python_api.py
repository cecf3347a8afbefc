"""The reference of the Python package, made of its sources without importing them."""

import ast
import inspect
import re
import textwrap

PACKAGE = "bridge/python/src/park_sdk"
CPP = """# C++ reference

<p><a href="cpp/index.html">Classes, functions and files of the public headers</a>, made by Doxygen.</p>

[The design](design.md) explains how they fit together; [a new environment](new_env.md) and
[a new policy](new_policy.md) show the few that most programs need.
"""
HEAD = """# Python reference

The package `park_sdk`: [Python](python.md) shows it at work. Names without a module below are those of
`park_sdk` itself; other modules are imported by name, such as `park_sdk.sb3`.
"""


def public(body):
    """The functions and classes of a body whose names do not begin with a line."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return [node for node in body if isinstance(node, kinds) and not node.name.startswith("_")]


def signature(function, method):
    """The arguments of a function as they stand, without self."""
    arguments = ast.unparse(function.args)
    if method:
        first, _, rest = arguments.partition(", ")
        arguments = rest if first.split(":")[0] in ("self", "cls") else arguments
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"({arguments}){returns}"


def doc(node):
    """The docstring; a paragraph with indented lines is laid out by them and stays as it is."""
    paragraphs = inspect.cleandoc(ast.get_docstring(node) or "").split("\n\n")
    return "\n\n".join(f"```text\n{one}\n```" if re.search(r"\n +\S", one) and not one.startswith("    ") else one
                       for one in paragraphs)


def directive(kind, name, inner, ticks):
    fence = "`" * ticks
    return f"{fence}{{py:{kind}}} {name}\n\n{inner}\n{fence}\n"


def method_text(node, owner):
    words = {ast.unparse(one) for one in node.decorator_list}
    if "property" in words:
        return directive("property", f"{owner}.{node.name}", doc(node), 4)
    return directive("method", f"{owner}.{node.name}{signature(node, 'staticmethod' not in words)}", doc(node), 4)


def entry(node, module):
    """A function or a class with its methods."""
    name = f"{module}.{node.name}"
    if isinstance(node, ast.FunctionDef):
        return directive("function", name + signature(node, False), doc(node), 4)
    init = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    methods = [method_text(one, name) for one in public(node.body) if isinstance(one, ast.FunctionDef)]
    fields = [f"- `{ast.unparse(one)}`" for one in node.body if isinstance(one, ast.AnnAssign)]
    inner = "\n".join([doc(node), "", *(["Fields:", "", *fields, ""] if fields else []), *methods])
    return directive("class", name + (signature(init, True) if init else ""), textwrap.dedent(inner), 5)


def imported(tree):
    """(module, name) of what the package itself offers."""
    return {(node.module.removeprefix("park_sdk."), one.name) for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module.startswith("park_sdk.") for one in node.names}


def pages(root):
    """The page by its place."""
    trees = {path.stem: ast.parse(path.read_text(encoding="utf-8"))
             for path in sorted((root / PACKAGE).glob("*.py"))}
    own = imported(trees["__init__"])
    top, modules = [], []
    for module, tree in trees.items():
        nodes = public(tree.body)
        top += [entry(node, "park_sdk") for node in nodes if (module, node.name) in own]
        rest = [entry(node, f"park_sdk.{module}") for node in nodes if (module, node.name) not in own]
        if rest and doc(tree):
            modules.append(f"## park_sdk.{module}\n\n{doc(tree)}\n\n" + "\n".join(rest))
    return {"python_api.md": HEAD + "\n## park_sdk\n\n" + "\n".join(top) + "\n" + "\n".join(modules)}
