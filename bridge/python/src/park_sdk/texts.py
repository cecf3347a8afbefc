"""Texts that name environments: NAME(field=value,...), as on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from park_sdk import _core
from park_sdk.entry_points import find
from park_sdk.errors import ParkError


def env_text(env: str, config: Mapping[str, Any]) -> str:
    """The text of an environment with these fields.

    Values are bool, numbers, texts, lists of these, and for a field whose type is NAME(...) a
    mapping of its fields: ``classes=[{"share": 0.5, "cpus": 4}]``.
    """
    if not config:
        return env
    find(env)
    if "(" in env:
        raise ParkError("invalid_config", f"env: {env} has its fields already; pass its name alone")
    types = {f["name"]: f for f in _core.fields(env)}
    unknown = [name for name in config if name not in types]
    if unknown:
        raise ParkError(
            "invalid_config",
            "\n".join(f"unknown field '{n}'; the fields are {', '.join(types)}" for n in unknown),
        )
    return _call(env, [(name, _value(v, types[name], name)) for name, v in config.items()])


def remote_text(endpoint: str, env: str, options: Mapping[str, Any]) -> str:
    """The text of an environment that a server elsewhere has."""
    fields = {"endpoint": endpoint, "env": env, **options}
    types = {f["name"]: f for f in _core.fields("remote")}
    return _call("remote", [(n, _value(v, types.get(n, {}), n)) for n, v in fields.items()])


def _call(name: str, fields: Sequence[tuple[str, str]]) -> str:
    return f"{name}({','.join(f'{k}={v}' for k, v in fields)})"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _value(value: Any, field: Mapping[str, Any], name: str) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        types = {f["name"]: f for f in field.get("fields", [])}
        kind = field.get("type", "").removeprefix("list of ").removesuffix("(...)")
        return _call(kind, [(k, _value(v, types.get(k, {}), k)) for k, v in value.items()])
    if isinstance(value, (Sequence, np.ndarray)):
        return "[" + ",".join(_value(v, field, name) for v in value) + "]"
    raise ParkError(
        "invalid_config",
        f"{name}: is a {type(value).__name__}; allowed are bool, numbers, texts, lists, mappings",
    )
