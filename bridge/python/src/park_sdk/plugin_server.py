"""The process in which ``park --plugin module:Class`` serves a class of Python.

    python -m park_sdk.plugin_server module:Class

Its standard input is a socket to the command that has started it. One line of JSON goes there:
what the class is, and the endpoint where it is served; or why it cannot be, as `error` and `code`.
The process ends when the other side of the socket is closed.
"""

from __future__ import annotations

import json
import math
import os
import sys
import traceback
from typing import Any

from park_sdk import _core, plugins
from park_sdk.errors import ParkError


def main(arguments: list[str]) -> int:
    """Serves the class until the command ends."""
    if len(arguments) != 1:
        print("Usage: python -m park_sdk.plugin_server module:Class", file=sys.stderr)
        return 2
    link = os.dup(0)  # others, such as processes of the class, have nothing to do with it
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    folder = _core.end_with(link)
    try:
        cls: Any = plugins.load(arguments[0])
        kind = plugins.kind_of(cls) or ""
        server = _core.serve_plugin(f"ipc://{folder}/socket", kind, plugins.name_of(cls))
    except BaseException as error:
        traceback.print_exc()
        if isinstance(error, ParkError):
            _tell(link, {"error": str(error), "code": error.code})
        else:
            line = f"{type(error).__name__}: {error}".partition("\n")[0]
            _tell(link, {"error": line, "code": "unavailable"})
        _core.leave()
        return 1
    plugins.print_tracebacks()
    told = plugins.describe(cls)
    _tell(link, {"kind": kind, "endpoint": server.endpoint, "folder": folder, **told})
    _core.wait_for_end()
    server.stop()
    _core.leave()
    return 0


def _tell(link: int, what: dict[str, Any]) -> None:
    """A line of JSON, in which an infinite bound is null."""
    document = {"schema": "park.python_plugin", "version": 1, **_finite(what)}
    line = json.dumps(document, separators=(",", ":")) + "\n"
    data = line.encode()
    while data:
        data = data[os.write(link, data) :]


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return None if isinstance(value, float) and math.isinf(value) else value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
