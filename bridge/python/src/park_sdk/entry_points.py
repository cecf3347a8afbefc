"""Plug-ins that nobody imports: those that installed packages announce, and libraries.

The groups of entry points are park.envs and park.policies.

A package's pyproject.toml has, for example,

    [project.entry-points."park.envs"]
    clinic = "clinic.env:Clinic"

Its module is imported when the environment is first asked for by its name. Libraries (docs/plugins.md)
are those of load_plugin and, when a name is not known or all names are asked for, those of
PARK_PLUGIN_PATH and of the user's folder.
"""

from __future__ import annotations

import importlib.metadata
import os
import warnings
from importlib.util import find_spec

from park_sdk import _core
from park_sdk.errors import ParkError

GROUPS = {"park.envs": "environment", "park.policies": "policy"}
_looked_for_libraries = False


def load_plugin(file: str | os.PathLike[str]) -> dict[str, list[str]]:
    """Loads a library that is a plug-in, as --plugin FILE does: the names of what it brings, by
    environments, systems and policies. It is code with the rights of this process. Raises ParkError
    in one line that names the file."""
    try:
        brought = _core.load_plugin(os.fspath(file))
    except ParkError as error:
        raise ParkError(error.code, f"{os.fspath(file)}: {error}") from None
    if find_spec("gymnasium") is not None:
        from park_sdk.registration import register

        for name in brought["environments"]:
            register(name)
    return {kind: brought[kind] for kind in ("environments", "systems", "policies")}


def _find_libraries() -> None:
    """Loads the libraries that are found, once. One in a folder that cannot be loaded is left out
    with a warning; one that PARK_PLUGIN_PATH names is an error."""
    global _looked_for_libraries
    if _looked_for_libraries:
        return
    _looked_for_libraries = True
    for file, in_folder, problem in _core.plugin_places():
        try:
            if problem:
                raise ParkError("bad_file", f"{file}: {problem}")
            load_plugin(file)
        except ParkError as error:
            if not in_folder:
                raise
            warnings.warn(f"{error}; it is left out", stacklevel=4)


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
    if not name or _core.has_environment(name):
        return
    _find_libraries()
    if not _core.has_environment(name) and name in announced("park.envs"):
        load_entry("park.envs", name)


def find_policy(text: str) -> None:
    """Loads the policy that a text names, where an installed package has it."""
    name = text.split("(")[0]
    if not name or _core.has_policy(name):
        return
    _find_libraries()
    if not _core.has_policy(name) and name in announced("park.policies"):
        load_entry("park.policies", name)


def find_all(group: str) -> None:
    """Loads all plug-ins of a group. Of one that cannot be loaded there is a warning."""
    _find_libraries()
    has = _core.has_environment if group == "park.envs" else _core.has_policy
    for name in announced(group):
        if has(name):
            continue
        try:
            load_entry(group, name)
        except ParkError as error:
            warnings.warn(f"{group}:{name}: {error}", stacklevel=3)
