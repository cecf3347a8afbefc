"""Environments for OpenEnv, which must be installed: a server, and a package with its manifest.

python -m park_sdk.openenv 'load_balance(servers=4)' --port 8000
python -m park_sdk.openenv load_balance --package load_balance_env

The first serves reset, step and state over HTTP and WebSocket, as ``park serve --openenv`` does. The
second writes a folder that ``openenv validate`` checks: openenv.yaml, server/app.py and a Dockerfile.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
import uuid
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from openenv.core.env_server import (  # type: ignore[import-untyped]
    Action,
    Environment,
    Observation,
    State,
    create_fastapi_app,
)
from openenv.core.env_server.types import EnvironmentMetadata  # type: ignore[import-untyped]
from pydantic import Field, create_model

from park_sdk.env import SEEDS
from park_sdk.errors import ParkError
from park_sdk.spaces import key_of
from park_sdk.spec import Leaf, Spec, spec
from park_sdk.stream import Columns, Episodes, Stream

SESSIONS = 64
LARGEST = 1e12  # of a reward, in the manifest


class ParkObservation(Observation):
    """What a policy sees, and what the decision before led to."""

    values: dict[str, list[Any]] = Field(
        default_factory=dict, description="leaf -> its numbers; of a group one entry per element"
    )
    legal: dict[str, list[Any]] = Field(
        default_factory=dict, description="integer head -> the values that are allowed now"
    )
    elapsed_s: float = Field(default=0.0, description="seconds since the decision before")
    applied: int = Field(default=0, description="0: the action, 1: the nearest legal one")
    truncated: bool = Field(default=False, description="the episode was cut at its horizon")
    metrics: dict[str, float | None] = Field(
        default_factory=dict, description="figures of the episode, at its end"
    )


class ParkState(State):
    """Which episode is played, and how far it is."""

    env: str = ""
    seed: int = 0
    total_reward: float = 0.0


def action_class(about: Spec) -> type[Action]:
    """A model with a field for each head of the action, named as ParkEnv names leaves."""
    fields: dict[str, Any] = {}
    for leaf in about.action.leaves:
        kind: Any = Annotated[float, Field(ge=leaf.low, le=leaf.high)]
        if leaf.dtype == "i32":
            kind = Annotated[int, Field(ge=int(leaf.low), le=int(leaf.high))]
        if leaf.width > 1:
            length = Field(min_length=leaf.width, max_length=leaf.width)
            kind = Annotated[list[kind], length]
        fields[key_of(leaf.name)] = (kind, Field(description=leaf.doc))
    made: type[Action] = create_model("ParkAction", __base__=Action, **fields)
    return made


class ParkOpenEnv(Environment[Any, ParkObservation, ParkState]):
    """One session: an environment of Park.

    reset(seed=s) plays episode 0 of the run with seed s; without a seed it is drawn.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, env: str, phase: str = "train", illegal: str = "project") -> None:
        super().__init__()
        self._env, self._phase, self._illegal = env, phase, illegal
        self._spec = spec(env)
        self._stream: Stream | None = None
        self._state = ParkState(env=env)

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> ParkObservation:
        """The first observation of an episode."""
        if kwargs:
            raise ParkError("invalid_config", f"reset: {', '.join(kwargs)}; there are none")
        self.close()
        chosen = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
        chosen %= SEEDS
        self._stream = Stream(
            self._env, Episodes.of_run(chosen, 1, self._phase), illegal=self._illegal
        )
        self._state = ParkState(
            env=self._env, seed=chosen, episode_id=episode_id or uuid.uuid4().hex, step_count=0
        )
        return self._next()

    def step(
        self, action: Any, timeout_s: float | None = None, **kwargs: Any
    ) -> ParkObservation:
        """One decision, and everything until the next one or the end."""
        stream = self._stream
        if stream is None:
            raise ParkError("unavailable", "step: reset comes first, in the same session")
        stream.send({
            leaf.name: np.array([getattr(action, key_of(leaf.name))])
            for leaf in self._spec.action.leaves
        })
        self._state.step_count += 1
        return self._next()

    @property
    def state(self) -> ParkState:
        """The episode of this session."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Name, summary and version of the environment."""
        return EnvironmentMetadata(
            name=self._spec.name,
            description=self._spec.summary,
            version=f"{self._spec.version}.0.0",
        )

    def close(self) -> None:
        """Frees the environment."""
        if self._stream is not None:
            self._stream.close()
        self._stream = None

    def _next(self) -> ParkObservation:
        stream = self._stream
        assert stream is not None
        asked = stream.recv()
        if asked.ended is None:
            seen = ParkObservation(
                values=self._values(asked.observation),
                legal=self._legal(stream.masks()[0]),
                elapsed_s=float(asked.elapsed_s[0]),
                applied=int(asked.applied[0]),
                reward=float(asked.reward[0]),
            )
        else:
            ended = asked.ended
            names = [m.name for m in self._spec.metrics]
            told = (float(v) for v in ended.metrics[0])
            seen = ParkObservation(
                values=self._values(ended.observation),
                elapsed_s=float(ended.elapsed_s[0]),
                applied=int(ended.applied[0]),
                reward=float(ended.reward[0]),
                done=True,
                truncated=bool(ended.truncated[0]),
                metrics={n: v if math.isfinite(v) else None for n, v in zip(names, told)},
            )
            self.close()
        self._state.total_reward += float(seen.reward or 0)
        return seen

    def _values(self, columns: Columns) -> dict[str, list[Any]]:
        values: dict[str, list[Any]] = {}
        for leaf in self._spec.observation.leaves:
            array = columns[leaf.name]
            row = array if leaf.group else array[0]
            values[key_of(leaf.name)] = np.atleast_1d(row).tolist()
        return values

    def _legal(self, mask: NDArray[np.int8]) -> dict[str, list[Any]]:
        legal: dict[str, list[Any]] = {}
        at = 0
        for leaf in self._spec.action.leaves:
            if leaf.dtype != "i32":
                continue
            parts = [self._allowed(mask, at + k * self._values_of(leaf), leaf)
                     for k in range(leaf.width)]
            at += leaf.width * self._values_of(leaf)
            legal[key_of(leaf.name)] = parts[0] if leaf.width == 1 else parts
        return legal

    @staticmethod
    def _values_of(leaf: Leaf) -> int:
        return int(leaf.high - leaf.low) + 1

    def _allowed(self, mask: NDArray[np.int8], at: int, leaf: Leaf) -> list[int]:
        part = mask[at : at + self._values_of(leaf)]
        return (np.flatnonzero(part) + int(leaf.low)).tolist()  # type: ignore[no-any-return]


def app(env: str, phase: str = "train", illegal: str = "project") -> Any:
    """The application of a server, for uvicorn: a session each has an environment of its own."""
    return create_fastapi_app(
        lambda: ParkOpenEnv(env, phase, illegal),
        action_class(spec(env)),
        ParkObservation,
        max_concurrent_envs=SESSIONS,
        env_name=spec(env).name,
        state_cls=ParkState,
    )


def first_legal(about: Spec, seed: int = 1) -> dict[str, Any]:
    """An action that is legal at the start of an episode: the lowest values."""
    actions: dict[str, Any] = {}
    with Stream(about.text, Episodes.of_run(seed, 1, "train")) as stream:
        stream.recv()
        mask, at = stream.masks()[0], 0
        for leaf in about.action.leaves:
            numbers: list[Any] = []
            for _ in range(leaf.width):
                if leaf.dtype == "f32":
                    numbers.append(leaf.low)
                    continue
                size = int(leaf.high - leaf.low) + 1
                numbers.append(int(np.argmax(mask[at : at + size])) + int(leaf.low))
                at += size
            actions[key_of(leaf.name)] = numbers[0] if leaf.width == 1 else numbers
    return actions


def manifest(about: Spec) -> str:
    """openenv.yaml. A number in a text of JSON is one of YAML."""
    declared = {
        "reward": {"range": [-LARGEST, LARGEST], "floor_margin": 0.1},
        "resources": {"cpu": 1, "memory_mb": 1024, "disk_mb": 1024, "episode_timeout_s": 600},
        "network": {"mode": "no-network"},
        "capabilities": {"verifier": {"kind": "reward_channel"}},
        "types": {"tags": ["computer-systems"]},
        "execution": {"probe_path": "validation/runtime.json", "dockerfile": "Dockerfile"},
    }
    lines = ["spec_version: 1", f"name: {about.name}", f'version: "{about.version}"']
    lines += ["type: space", "runtime: fastapi", "app: server.app:app", "port: 8000", "validation:"]
    lines += [f"  {key}: {json.dumps(value)}" for key, value in declared.items()]
    return "\n".join(lines) + "\n"


def write_package(env: str, folder: str | Path, wheel: str | Path | None = None) -> None:
    """A new folder that is an OpenEnv package of an environment.

    wheel: of park_sdk, which the image installs; without it, put one there before building.
    """
    about = spec(env)
    folder = Path(folder)
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise ParkError("io", f"--package: {folder} exists") from None
    plan = {
        "plan_schema_version": "1",
        "reset": {"episode_id": "episode-1", "seed": 1},
        "actions": [first_legal(about)],
    }
    app_text = (
        '"""The server of this package."""\n\nimport sys\n\n'
        "from park_sdk.openenv import app as make_app\nfrom park_sdk.openenv import main as serve\n\n"
        f"ENV = {about.text!r}\napp = make_app(ENV)\n\n\n"
        "def main() -> None:\n"
        '    """Serves until it is told to stop."""\n'
        '    sys.exit(serve([ENV, "--host", "0.0.0.0", *sys.argv[1:]]))\n\n\n'
        'if __name__ == "__main__":\n    main()\n'
    )
    project = (
        f'[project]\nname = "openenv-{about.name.replace("_", "-")}"\nversion = "{about.version}.0.0"\n'
        'requires-python = ">=3.10"\ndependencies = ["openenv>=0.10"]\n\n'
        '[project.scripts]\nserver = "server.app:main"\n\n'
        '[tool.setuptools]\npackages = ["server"]\n'
    )
    docker = (
        "FROM python:3.11-slim\nWORKDIR /app\nCOPY . .\n"
        "RUN pip install --no-cache-dir ./park_sdk-*.whl .\n"
        "EXPOSE 8000\n"
        'CMD ["python", "-m", "server.app"]\n'
    )
    for name, text in {
        "openenv.yaml": manifest(about),
        "pyproject.toml": project,
        "Dockerfile": docker,
        "README.md": (
            f"# {about.name}\n\n{about.summary}.\n\n"
            "The image installs the wheel of park_sdk that lies beside the Dockerfile.\n"
        ),
        "server/__init__.py": "",
        "server/app.py": app_text,
        "validation/runtime.json": json.dumps(plan, indent=1) + "\n",
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    if wheel is not None:
        shutil.copy(wheel, folder)


def main(words: list[str] | None = None) -> int:
    """The command line; the exit status."""
    parser = argparse.ArgumentParser(
        prog="park_sdk.openenv", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("env", help="such as 'load_balance(servers=4)'")
    parser.add_argument("--host", default="127.0.0.1", help="another one lets other machines in")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--phase", choices=("train", "validate", "evaluate"), default="train")
    parser.add_argument("--illegal", choices=("project", "error"), default="project")
    parser.add_argument("--package", metavar="DIR", help="write a package and serve nothing")
    parser.add_argument("--wheel", metavar="FILE", help="of park_sdk, for the package's image")
    args = parser.parse_args(words)
    try:
        if args.package:
            write_package(args.env, args.package, args.wheel)
            return 0
        served = app(args.env, args.phase, args.illegal)
    except (ParkError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    import uvicorn

    uvicorn.run(served, host=args.host, port=args.port, log_level="warning")
    return 0


if __name__ == "__main__":
    sys.exit(main())
