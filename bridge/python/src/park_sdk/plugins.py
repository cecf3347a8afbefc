"""Environments and policies that are classes of Python, with Park's whole contract.

A class becomes one of Park by `environment` or `policy`. From then on everything of this package
knows it by its name: park_sdk.make, Stream, spec, serve. The command is told by
``park run clinic --plugin module:Class``, which serves the class in a process of its own.
"""

from __future__ import annotations

import enum
import importlib
import math
import re
import traceback
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from park_sdk import _core
from park_sdk.entry_points import GROUPS, load_entry
from park_sdk.errors import ParkError
from park_sdk.fields import as_config, field_dicts
from park_sdk.layout import Layout
from park_sdk.rows import Row
from park_sdk.spec import Leaf, Spec
from park_sdk.stream import Columns, Decisions, decisions_of

Rng = _core.Rng


class End(enum.IntEnum):
    """How an episode stands after a step."""

    NONE = 0
    TERMINATED = 1
    TRUNCATED = 2


class Outcome(NamedTuple):
    """The result of a step: reward and seconds since the row before."""

    reward: float
    elapsed_s: float
    end: End = End.NONE


class Episode(NamedTuple):
    """One run of an environment.

    Everything from outside (arrivals, sizes) is drawn from `inputs`, all other chance from
    `dynamics`, by identity and not in the order of use: ``inputs.split("size").split(job)``. The
    same inputs then repeat under other actions. The episode is truncated at `horizon_s`.
    """

    number: int
    inputs: _core.Rng
    dynamics: _core.Rng
    horizon_s: float


class Rows(NamedTuple):
    """An observation of n rows, as in Decisions."""

    observation: Columns  # leaf -> [n, shape]; of a group [sum of counts, shape]
    counts: dict[str, NDArray[np.int64]]  # group -> [n]

    def offsets(self, group: str) -> NDArray[np.int64]:
        """[n + 1]: row r has the elements offsets[r] to offsets[r + 1] - 1 of the group."""
        return np.concatenate([[0], np.cumsum(self.counts[group])])


class Candidates(NamedTuple):
    """The legal values of a head in n rows."""

    offsets: NDArray[np.int64]  # [n + 1]
    value: NDArray[np.int32]  # [offsets[n]]


class NoFields:
    """The configuration of a class that declares none."""


class Environment:
    """The base of an environment. Class attributes describe it; what is missing is as below.

    name: lower-case words joined by _; the class's own name otherwise.
    summary: the first line of the class's documentation otherwise. reference: where it is from.
    version: rises when results change. twin: the name of its running or simulated twin.
    replayable: the same episode and actions give the same rows.
    Config: a class of `park_sdk.field`s. A method ``check(self)`` of it may yield a line for each
        rule between fields that is broken.
    """

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    version: ClassVar[int] = 1
    twin: ClassVar[str] = ""
    replayable: ClassVar[bool] = True
    park_name: ClassVar[str] = ""  # set by `environment`
    Config: ClassVar[type] = NoFields

    def __init__(self, config: Any) -> None:
        self.config = config

    @staticmethod
    def layout(config: Any) -> Layout:
        """Observation, action and metrics under a configuration."""
        raise NotImplementedError("layout(config) is required")

    def reset(self, episode: Episode, row: Row) -> None:
        """Starts an episode and advances to its first decision, whose row it writes."""
        raise NotImplementedError("reset(episode, row) is required")

    def step(self, action: dict[str, Any], row: Row) -> Outcome:
        """Takes a legal decision, head -> int, float or array, and advances to the next one or to
        the end. At the end the row is the final observation."""
        raise NotImplementedError("step(action, row) is required")

    def metrics(self) -> Mapping[str, float]:
        """After the end: metric -> number; NaN only where an episode was cut before there was one."""
        raise NotImplementedError("metrics() is required")


class Policy:
    """The base of a policy. Attributes are those of Environment, and
    environments: the names of those that it understands; empty: every one.
    """

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    version: ClassVar[int] = 1
    environments: ClassVar[tuple[str, ...]] = ()
    Config: ClassVar[type] = NoFields

    def __init__(self, config: Any, spec: Spec) -> None:
        self.config, self.spec = config, spec

    def start(self, slot: int, episode: Episode, rng: _core.Rng) -> None:
        """Before the first row of an episode in a slot. `rng` is keyed by run and episode."""

    def act(self, asked: Decisions) -> ArrayLike | Mapping[str, ArrayLike]:
        """The answers to n rows: an array [n], or for several heads head -> [n]."""
        raise NotImplementedError("act(asked) is required")

    def scores(
        self, rows: Rows, head: str, actions: Columns, candidates: Candidates
    ) -> ArrayLike | None:
        """What it thinks of every legal value of a head, after the `actions` of earlier heads:
        logarithms of probabilities but for a constant per row, -inf for never. None: nothing."""
        return None


Class = TypeVar("Class", bound=type)
_declared: dict[tuple[str, str], type] = {}  # kind and name -> the class


def environment(cls: Class) -> Class:
    """Makes a class an environment of Park, for this process. Raises ParkError in one line."""
    _require(cls, Environment)
    cls.Config = as_config(cls.Config)  # type: ignore[attr-defined]
    name = _claim("environment", cls)
    _core.add_environment(describe(cls), _Environments(cls, name))
    _declared["environment", name] = cls
    cls.park_name = name  # type: ignore[attr-defined]
    if find_spec("gymnasium") is not None:
        from park_sdk.registration import register

        register(name)
    return cls


def policy(cls: Class) -> Class:
    """Makes a class a policy of Park, for this process. Raises ParkError in one line."""
    _require(cls, Policy)
    cls.Config = as_config(cls.Config)  # type: ignore[attr-defined]
    name = _claim("policy", cls)
    _core.add_policy(describe(cls), _Policies(cls))
    _declared["policy", name] = cls
    return cls


def load(text: str) -> type:
    """The class that "module:Class" names, or "park.envs:NAME" and "park.policies:NAME" of an
    installed package, as a plug-in. Raises ParkError in one line."""
    module_name, colon, class_name = text.partition(":")
    if not colon or not module_name or not class_name:
        raise ParkError("unknown_name", f"'{text}': is no module:Class")
    if module_name in GROUPS:
        return load_entry(module_name, class_name)
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:
        raise ParkError("unavailable", f"{_one_line(error)}{_place(error)}") from error
    for part in class_name.split("."):
        if not hasattr(found, part):
            own = [n for n, v in vars(found).items() if kind_of(v) and v.__module__ == module_name]
            raise ParkError(
                "unknown_name",
                f"{module_name} has no {class_name}; its plug-ins are {', '.join(own) or 'none'}",
            )
        found = getattr(found, part)
    kind = kind_of(found)
    if kind is None:
        raise ParkError(
            "invalid_config",
            f"{class_name} is no class made of park_sdk.plugins.Environment or Policy",
        )
    if _declared.get((kind, name_of(found))) is not found:
        (environment if kind == "environment" else policy)(found)
    return found  # type: ignore[no-any-return]


def kind_of(found: Any) -> str | None:
    """environment, policy, or None for what is no class of a plug-in."""
    if not isinstance(found, type):
        return None
    if issubclass(found, Environment) and found is not Environment:
        return "environment"
    return "policy" if issubclass(found, Policy) and found is not Policy else None


def name_of(cls: Any) -> str:
    """The name that Park knows a class by."""
    own = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
    return str(cls.name) or own


def _require(cls: Any, base: type) -> None:
    if not isinstance(cls, type) or not issubclass(cls, base):
        raise ParkError("invalid_config", f"{cls!r}: is no class made of park_sdk.plugins.{base.__name__}")


def _claim(kind: str, cls: Any) -> str:
    """The name of a class, unless something else has it. A class that is declared again, as by an
    interactive program, takes the place of the one before."""
    name = name_of(cls)
    before = _declared.get((kind, name))
    has = _core.has_environment if kind == "environment" else _core.has_policy
    same = before is not None and before.__qualname__ == cls.__qualname__
    if has(name) and not same:
        raise ParkError("invalid_config", f"name: {kind} '{name}' is there already")
    return name


def _summary(cls: Any) -> str:
    return cls.summary or (cls.__doc__ or "").strip().partition("\n")[0] or cls.__name__


def describe(cls: Any) -> dict[str, Any]:
    """What Park is told of a class before one is made."""
    told: dict[str, Any] = {
        "name": name_of(cls),
        "summary": _summary(cls),
        "reference": cls.reference or f"{cls.__module__}:{cls.__qualname__}",
        "fields": field_dicts(cls.Config),
    }
    told["class_version"] = str(cls.version)
    if kind_of(cls) == "policy":
        told["environments"] = list(cls.environments)
    return told


def _config(cls: Any, values: dict[str, Any]) -> Any:
    config = cls.Config(**values)
    rules = list(config.check()) if hasattr(config, "check") else []
    if rules:
        raise ParkError("invalid_config", "\n".join(str(line) for line in rules))
    return config


def _one_line(error: BaseException) -> str:
    if isinstance(error, ParkError):
        return str(error)
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def _place(error: BaseException) -> str:
    """Where an exception was raised, for people."""
    frames = traceback.extract_tb(error.__traceback__)
    others = (__file__, importlib.__file__)
    own = [f for f in frames if f.filename not in others and not f.filename.startswith("<frozen ")]
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({error.filename}:{error.lineno})"
    return f" ({own[-1].filename}:{own[-1].lineno})" if own else ""


_tracebacks = False  # printed, besides the line that a ParkError has


def print_tracebacks() -> None:
    """What a class raises is printed to stderr from now on: in a server nobody else sees it."""
    global _tracebacks
    _tracebacks = True


def _failed(error: Exception) -> ParkError:
    """What a class has raised, in one line."""
    if _tracebacks:
        traceback.print_exception(error)
    if isinstance(error, ParkError):
        return error
    return ParkError("unavailable", _one_line(error) + _place(error))


class _Environments:
    """What the compiled part asks about a class: specs, and environments."""

    def __init__(self, cls: Any, name: str) -> None:
        self._cls, self._name = cls, name

    def spec(self, values: dict[str, Any]) -> dict[str, Any]:
        """Of a configuration."""
        try:
            return self._spec(_config(self._cls, values)).to_dict()
        except Exception as error:
            raise _failed(error) from error

    def make(self, values: dict[str, Any]) -> tuple[dict[str, Any], _EnvironmentAdapter]:
        """One environment with its spec."""
        try:
            config = _config(self._cls, values)
            spec = self._spec(config)
            return spec.to_dict(), _EnvironmentAdapter(self._cls(config), spec)
        except Exception as error:
            raise _failed(error) from error

    def _spec(self, config: Any) -> Spec:
        cls = self._cls
        observation, action, metrics = cls.layout(config).records()
        about = describe(cls)
        return Spec(
            self._name, about["summary"], about["reference"], cls.version, observation, action,
            metrics, replayable=cls.replayable, twin=cls.twin,
        )


class _EnvironmentAdapter:
    """What the compiled part calls: one environment, one thread at a time."""

    def __init__(self, env: Environment, spec: Spec) -> None:
        self._env, self._row = env, Row(spec.observation)
        self._heads = spec.action.leaves
        self._metrics = [m.name for m in spec.metrics]

    def reset(self, number: int, inputs: int, dynamics: int, horizon_s: float) -> Any:
        try:
            self._row.clear()
            self._env.reset(Episode(number, Rng(inputs), Rng(dynamics), horizon_s), self._row)
            return self._row.parts()
        except Exception as error:
            raise _failed(error) from error

    def step(self, heads: list[NDArray[Any]]) -> Any:
        try:
            self._row.clear()
            action = {leaf.name: _value(leaf, h) for leaf, h in zip(self._heads, heads)}
            outcome = self._env.step(action, self._row)
            _check_outcome(outcome)
            return self._row.parts(), float(outcome[0]), float(outcome[1]), int(outcome[2])
        except Exception as error:
            raise _failed(error) from error

    def metrics(self) -> list[float]:
        try:
            told = self._env.metrics()
            _check_names("metrics", told, self._metrics)
            return [float(told[name]) for name in self._metrics]
        except Exception as error:
            raise _failed(error) from error


def _value(leaf: Leaf, numbers: NDArray[Any]) -> Any:
    return numbers[0].item() if leaf.shape == () else numbers.reshape(leaf.shape)


def _check_outcome(outcome: Any) -> None:
    if not isinstance(outcome, tuple) or len(outcome) != 3:
        raise ParkError("invalid_space", f"step: returned {outcome!r}; allowed is an Outcome")
    if not math.isfinite(outcome[0]):
        raise ParkError("not_finite", f"reward: is {outcome[0]}; allowed are finite numbers")
    if not 0 <= outcome[1] < math.inf:
        raise ParkError("not_finite", f"elapsed_s: is {outcome[1]}; allowed are 0 or more")
    if outcome[2] not in (0, 1, 2):
        raise ParkError("invalid_space", f"end: is {outcome[2]!r}; allowed are those of End")


def _check_names(what: str, told: Any, wanted: Iterable[str]) -> None:
    if not isinstance(told, Mapping) or set(told) != set(wanted):
        has = ", ".join(map(str, told)) if isinstance(told, Mapping) else repr(told)
        raise ParkError("invalid_space", f"{what}: {has or 'nothing'}; it has {', '.join(wanted)}")


class _Policies:
    """What the compiled part asks about a class: policies."""

    def __init__(self, cls: Any) -> None:
        self._cls = cls

    def make(self, values: dict[str, Any], spec: dict[str, Any]) -> _PolicyAdapter:
        """A policy for a spec."""
        try:
            told = Spec.from_dict(spec)
            return _PolicyAdapter(self._cls(_config(self._cls, values), told), told)
        except Exception as error:
            raise _failed(error) from error


class _PolicyAdapter:
    """What the compiled part calls."""

    def __init__(self, made: Policy, spec: Spec) -> None:
        self._policy = made
        self._heads = [leaf.name for leaf in spec.action.leaves]

    def start(
        self, slot: int, number: int, inputs: int, dynamics: int, horizon_s: float, key: int
    ) -> None:
        try:
            episode = Episode(number, Rng(inputs), Rng(dynamics), horizon_s)
            self._policy.start(slot, episode, Rng.restored((key, 0)))
        except Exception as error:
            raise _failed(error) from error

    def act(self, fields: tuple[Any, ...]) -> list[ArrayLike]:
        try:
            answer = self._policy.act(decisions_of(fields))
            if not isinstance(answer, Mapping):
                answer = {self._heads[0]: answer}
            _check_names("act", answer, self._heads)
            return [answer[head] for head in self._heads]
        except Exception as error:
            raise _failed(error) from error

    def scores(
        self,
        observation: Columns,
        counts: dict[str, NDArray[np.int64]],
        head: str,
        actions: Columns,
        offsets: NDArray[np.int64],
        values: NDArray[np.int32],
    ) -> ArrayLike | None:
        try:
            rows = Rows(observation, counts)
            return self._policy.scores(rows, head, actions, Candidates(offsets, values))
        except Exception as error:
            raise _failed(error) from error
