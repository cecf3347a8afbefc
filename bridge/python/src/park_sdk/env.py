"""A single environment for Gymnasium."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from park_sdk import _core
from park_sdk.entry_points import find
from park_sdk.errors import ParkError
from park_sdk.spaces import ActionMap, Observation, ObservationMap
from park_sdk.stream import Decisions, Episodes, Stream
from park_sdk.texts import env_text

SEEDS = 2**31


class Source:
    """How the streams of an environment are opened: all but the episodes."""

    def __init__(
        self,
        env: str,
        config: Mapping[str, Any],
        phase: str,
        mean_horizon_s: float | None,
        **options: Any,
    ) -> None:
        self.text = env_text(env, config) if config else env
        self.phase = phase
        self.options = options
        if options.get("endpoint") is None:
            find(env)
        if mean_horizon_s is None:
            known = env.split("(")[0] in _core.environments()
            mean_horizon_s = _core.mean_horizon_s(self.text) if known else math.inf
        self.mean_horizon_s = mean_horizon_s

    def open(self, seeds: list[int], first: int) -> Stream:
        """Episodes first, first + 1, ... of each seed."""
        horizon_s = self.mean_horizon_s if self.phase == "train" else math.inf
        episodes = Episodes.of_slots(seeds, self.phase, horizon_s, first)
        return Stream(self.text, episodes, slots=len(seeds), **self.options)


def check_options(options: Mapping[str, Any] | None) -> None:
    """There are none."""
    if options:
        raise ParkError("invalid_config", f"options: {', '.join(options)}; there are none")


class ParkEnv(gym.Env[Observation, Any]):
    """One environment of Park, in this process or behind an endpoint.

    env: name or text of the environment; `config` are its fields (``park describe NAME``).
    endpoint: of a server, such as tcp://127.0.0.1:5555; None: in this process.
    illegal: project takes the nearest legal action; penalise also takes `penalty` off the reward;
        error raises ParkError, and nothing moves.
    observation: dict or graph (see docs/python.md).
    mask_in_observation: adds "action_mask" to the observation.
    phase: train, validate or evaluate: inputs of different phases never meet.
    mean_horizon_s: in phase train, each episode is truncated after a time drawn with this mean;
        None: the environment's field horizon_s.
    timeout_s, remote: see park_sdk.Stream.

    ``reset(seed=s)`` begins the run with seed s; later resets go on with its next episodes. An
    episode's inputs depend on the seed and its number alone, not on the actions.

    info has action_mask (int8, all values of the integer heads), elapsed_s (seconds since the step
    before), applied (0 policy, 1 projected, 2 fallback), and at the end of an episode, in place of
    the mask, metrics (name -> number).
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        env: str = "load_balance",
        *,
        endpoint: str | None = None,
        illegal: str = "project",
        penalty: float = 1.0,
        observation: str = "dict",
        mask_in_observation: bool = False,
        phase: str = "train",
        mean_horizon_s: float | None = None,
        timeout_s: float = 60.0,
        remote: Mapping[str, Any] | None = None,
        render_mode: None = None,
        **config: Any,
    ) -> None:
        if render_mode is not None:
            raise ParkError("invalid_config", f"render_mode: {render_mode}; allowed is None")
        self.render_mode = None
        self._source = Source(
            env,
            config,
            phase,
            mean_horizon_s,
            illegal=illegal,
            penalty=penalty,
            endpoint=endpoint,
            timeout_s=timeout_s,
            remote=remote,
        )
        self._run_seed = int(np.random.SeedSequence().generate_state(1)[0]) % SEEDS
        self._episode = 0  # of the run: the one that is asked about
        self._played = False  # it has begun to move, or ended
        self._over = True  # nothing to be decided before a reset
        self._stream: Stream | None = self._source.open([self._run_seed], 0)
        self._asked = self._stream.recv(padded=True)
        self.park_spec = self._stream.spec
        self._actions = ActionMap(self.park_spec.action)
        self._observations = ObservationMap(
            self.park_spec, observation, self._actions.mask_size, mask_in_observation
        )
        self.observation_space = self._observations.space
        self.action_space = self._actions.space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """The first observation of the next episode of the run, or of the first one of `seed`."""
        super().reset(seed=seed)
        check_options(options)
        if seed is not None:
            self._run_seed, self._episode = seed, 0
            self._reopen()
        elif self._played and not self._over:
            self._episode += 1
            self._reopen()
        self._played, self._over = False, False
        return self._observe(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Takes one decision and goes on to the next one, or to the end of the episode."""
        if self._over:
            raise ParkError("unavailable", "step: the episode is over; reset comes first")
        stream = self._open()
        stream._core.send(self._actions.heads(action, 1))
        self._asked = asked = stream.recv(padded=True)
        self._played = True
        if asked.ended is None:
            return self._observe(), float(asked.reward[0]), False, False, self._info()
        return self._end(asked)

    def _end(self, asked: Decisions) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        ended = asked.ended
        assert ended is not None
        self._over = True
        self._episode += 1  # the stream has begun it already
        truncated = bool(ended.truncated[0])
        mask = np.zeros(self._actions.mask_size, np.int8)
        observation = self._observations.single(ended.observation, 0, mask)
        info: dict[str, Any] = {
            "elapsed_s": float(ended.elapsed_s[0]),
            "applied": int(ended.applied[0]),
            "metrics": self._metrics(ended.metrics[0]),
        }
        return observation, float(ended.reward[0]), not truncated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which values are allowed now, of all integer heads one after the other (sb3-contrib)."""
        mask: NDArray[np.bool_] = self._open().masks()[0].astype(bool)
        return mask

    def close(self) -> None:
        """Frees the environment; a second time does nothing."""
        if self._stream is not None:
            self._stream.close()
        self._stream = None

    def _open(self) -> Stream:
        if self._stream is None:
            raise ParkError("unavailable", "env: is closed")
        return self._stream

    def _reopen(self) -> None:
        self._open().close()
        self._stream = self._source.open([self._run_seed], self._episode)
        self._asked = self._stream.recv(padded=True)

    def _observe(self) -> Observation:
        mask = self._open().masks()[0] if self._observations.mask else np.empty(0, np.int8)
        return self._observations.single(self._asked.observation, 0, mask)

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {
            "elapsed_s": float(self._asked.elapsed_s[0]),
            "applied": int(self._asked.applied[0]),
        }
        if self._actions.mask_size:
            info["action_mask"] = self._open().masks()[0]
        return info

    def _metrics(self, values: NDArray[np.float64]) -> dict[str, float]:
        return {m.name: float(v) for m, v in zip(self.park_spec.metrics, values)}
