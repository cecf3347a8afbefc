"""The fields of a configuration that a class of Python declares."""

from __future__ import annotations

import dataclasses
import math
import re
import types
import typing
from collections.abc import Sequence
from typing import Any

from park_sdk.errors import ParkError

# A type of Python -> the type of a field.
TYPES = {bool: "bool", int: "integer", float: "number", str: "text"}
NAMES = ("undeclared", "nothing", "file", "endpoint")
_KEY = "park_sdk"


def field(
    default: Any,
    doc: str,
    *,
    unit: str = "1",
    min: float = -math.inf,
    max: float = math.inf,
    open_min: bool = False,
    open_max: bool = False,
    choices: Sequence[str] = (),
    tune: str = "",
    names: str = "undeclared",
) -> Any:
    """A field of a configuration, which is a class with annotations:

        class Config:
            jobs: int = park_sdk.field(100, "jobs of an episode", min=1, max=1_000_000)
            rule: str = park_sdk.field("fifo", "who is next", choices=("fifo", "random"))

    Types are bool, int, float, str, and lists of these, whose bounds and choices are those of the
    elements. min, max: inclusive, or with open_min and open_max outside themselves. tune: what
    ``park tune`` tries, "low:high:step" or "a|b|c". names: what a text without choices opens where
    it is read: nothing, a file or an endpoint; without this word other people may not give it.
    """
    info = {
        "doc": doc,
        "unit": unit,
        "min": float(min),
        "max": float(max),
        "open_min": open_min,
        "open_max": open_max,
        "choices": list(choices),
        "tune": tune,
        "names": names,
    }
    if type(default).__hash__ is None:
        return dataclasses.field(default_factory=lambda: default.copy(), metadata={_KEY: info})
    return dataclasses.field(default=default, metadata={_KEY: info})


def as_config(declared: type) -> type:
    """The dataclass of a class that has fields."""
    if dataclasses.is_dataclass(declared):
        return declared
    for name, value in vars(declared).items():
        if isinstance(value, dataclasses.Field) and name not in declared.__annotations__:
            raise ParkError("invalid_config", f"field {name}: needs its type, such as {name}: int")
    return dataclasses.dataclass(declared)


def field_dicts(config: type) -> list[dict[str, Any]]:
    """The fields of a dataclass for the compiled part: name, type, default as in a text, and what
    `field` has."""
    return [_field_dict(f) for f in dataclasses.fields(config)]


def _field_dict(f: dataclasses.Field[Any]) -> dict[str, Any]:
    info = f.metadata.get(_KEY)
    if info is None:
        raise ParkError("invalid_config", f"field {f.name}: declare it with park_sdk.field(...)")
    if not info["doc"] or not info["unit"]:
        raise ParkError("invalid_config", f"field {f.name}: needs a doc and a unit")
    if info["names"] not in NAMES:
        raise ParkError(
            "invalid_config",
            f"field {f.name}: names: '{info['names']}'; allowed are {', '.join(NAMES)}",
        )
    default = f.default if f.default is not dataclasses.MISSING else None
    if f.default_factory is not dataclasses.MISSING:
        default = f.default_factory()
    kind, many = _type_of(f)
    values = default if many else [default]
    wanted = next(t for t, name in TYPES.items() if name == kind)
    if not isinstance(values, list) or not all(_fits(v, wanted) for v in values):
        raise ParkError("invalid_config", f"field {f.name}: its default {default!r} is no {kind}")
    text = "[" + ",".join(map(_text, values)) + "]" if many else _text(default)
    return {"name": f.name, "type": f"list of {kind}" if many else kind, "default": text, **info}


def _text(value: Any) -> str:
    """A value as texts have it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and re.fullmatch(r"[\w+./:@-]+", value, re.ASCII):
        return value
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value).removesuffix(".0")


def _fits(value: Any, wanted: type) -> bool:
    if wanted is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return type(value) is wanted


def _type_of(f: dataclasses.Field[Any]) -> tuple[str, bool]:
    """The type of a field, and whether it is a list."""
    by_name = {t.__name__: name for t, name in TYPES.items()}
    annotation = f.type
    if isinstance(annotation, types.GenericAlias) or typing.get_origin(annotation) is list:
        text = f"list[{typing.get_args(annotation)[0].__name__}]"
    else:
        text = annotation if isinstance(annotation, str) else annotation.__name__
    many = text.startswith("list[")
    word = text.removeprefix("list[").removesuffix("]") if many else text
    if word not in by_name:
        raise ParkError(
            "invalid_config",
            f"field {f.name}: type {text}; allowed are bool, int, float, str and lists of these",
        )
    return by_name[word], many
