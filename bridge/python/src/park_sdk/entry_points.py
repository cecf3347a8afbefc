"""Plug-ins that installed packages announce: the groups of entry points park.envs, park.policies.

A package's pyproject.toml has, for example,

    [project.entry-points."park.envs"]
    clinic = "clinic.env:Clinic"

Its module is imported when the environment is first asked for by its name.
"""

from __future__ import annotations

import importlib.metadata
import warnings

from park_sdk import _core
from park_sdk.errors import ParkError

GROUPS = {"park.envs": "environment", "park.policies": "policy"}


def announced(group: str) -> dict[str, importlib.metadata.EntryPoint]:
    """Name -> the entry point of a group."""
    return {point.name: point for point in importlib.metadata.entry_points(group=group)}


def load_entry(group: str, name: str) -> type:
    """The class of an entry point, as a plug-in. Raises ParkError in one line."""
    points = announced(group)
    if name not in points:
        raise ParkError(
            "unknown_name",
            f"{group}:{name}: no installed package has it; there are {', '.join(points) or 'none'}",
        )
    from park_sdk.plugins import load

    return load(points[name].value)


def find(text: str) -> None:
    """Loads the environment that a text names, where an installed package has it."""
    name = text.split("(")[0]
    if name and not _core.has_environment(name) and name in announced("park.envs"):
        load_entry("park.envs", name)


def find_policy(text: str) -> None:
    """Loads the policy that a text names, where an installed package has it."""
    name = text.split("(")[0]
    if name and not _core.has_policy(name) and name in announced("park.policies"):
        load_entry("park.policies", name)


def find_all(group: str) -> None:
    """Loads all plug-ins of a group. Of one that cannot be loaded there is a warning."""
    has = _core.has_environment if group == "park.envs" else _core.has_policy
    for name in announced(group):
        if has(name):
            continue
        try:
            load_entry(group, name)
        except ParkError as error:
            warnings.warn(f"{group}:{name}: {error}", stacklevel=3)
