"""Many environments side by side for Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from park_sdk.env import SEEDS, ParkEnv, Source, check_options
from park_sdk.errors import ParkError
from park_sdk.spaces import ActionMap, Observation, ObservationMap, same_step
from park_sdk.spec import Spec
from park_sdk.stream import Decisions, Ended, Stream

Info = dict[str, Any]


class ParkVectorEnv(gym.vector.VectorEnv[Observation, Any, NDArray[Any]]):
    """num_envs environments of Park, stepped together in one call of compiled code.

    The parameters are those of ParkEnv, and `workers`: threads that step them (0: the caller).
    Observations are Dicts of arrays [num_envs, numbers]; with observation="graph" there is a tuple
    of num_envs graphs among them, because Gymnasium does not batch a Graph otherwise. Where an
    episode ends, the next one begins in the same step: metadata["autoreset_mode"] is SAME_STEP. The
    returned row is then the next episode's first one, and info has final_obs (object [num_envs],
    each a Dict) and final_info (metrics: name -> [num_envs]) of what ended. Keys of info have masks
    `_key`.

    ``reset(seed=s)`` gives sub-environment i the seed s + i; each plays what ParkEnv plays with it.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": same_step()}

    def __init__(
        self,
        env: str = "load_balance",
        num_envs: int = 1,
        *,
        endpoint: str | None = None,
        illegal: str = "project",
        penalty: float = 1.0,
        observation: str = "dict",
        mask_in_observation: bool = False,
        phase: str = "train",
        mean_horizon_s: float | None = None,
        workers: int = 0,
        timeout_s: float = 60.0,
        remote: Mapping[str, Any] | None = None,
        render_mode: None = None,
        **config: Any,
    ) -> None:
        if render_mode is not None:
            raise ParkError("invalid_config", f"render_mode: {render_mode}; allowed is None")
        self.render_mode = None
        self.num_envs = num_envs
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
            workers=0 if endpoint is not None else workers,
        )
        self._seeds = self._spread(int(np.random.SeedSequence().generate_state(1)[0]))
        self._first = 0  # number of the episode that slots began with
        self._most = np.zeros(num_envs, np.int64)  # episodes that ended since
        self._stepped = False
        self._all = np.ones(num_envs, bool)
        self._slots = np.arange(num_envs, dtype=np.uint32)
        self._stream: Stream | None = self._source.open(self._seeds, 0)
        self._asked = self._recv()
        self._set_spaces(self._stream.spec, observation, mask_in_observation)

    def _set_spaces(self, spec: Spec, observation: str, mask_in_observation: bool) -> None:
        self.park_spec = spec
        self._actions = ActionMap(self.park_spec.action)
        self._observations = ObservationMap(
            self.park_spec, observation, self._actions.mask_size, mask_in_observation
        )
        self.single_observation_space = self._observations.space
        self.single_action_space = self._actions.space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, Info]:
        """Begins all sub-environments anew; without a seed with episodes not played so far."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        check_options(options)
        if seed is not None:
            self._seeds = self._spread(seed)
            self._reopen(0)
        elif self._stepped:
            self._reopen(self._first + 1 + int(self._most.max()))
        self._stepped = False
        return self._observe(), self._info()

    def step(
        self, actions: Any
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], Info]:
        """One decision in every sub-environment; rewards, ends and cuts are [num_envs]."""
        stream = self._open()
        stream._core.send(self._actions.heads(actions, self.num_envs))
        self._asked = asked = self._recv()
        self._stepped = True
        terminated = np.zeros(self.num_envs, bool)
        truncated = np.zeros(self.num_envs, bool)
        info = self._info()
        reward = asked.reward
        if asked.ended is not None:
            slots = asked.ended.slot
            reward[slots] = asked.ended.reward
            truncated[slots] = asked.ended.truncated
            terminated[slots] = ~asked.ended.truncated
            self._most[slots] += 1
            self._add_final(info, asked.ended)
        return self._observe(), reward, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """[num_envs, size]: which values are allowed now, of all integer heads."""
        return self._open().masks().astype(bool)

    def close_extras(self, **kwargs: Any) -> None:
        """Frees the environments."""
        if self._stream is not None:
            self._stream.close()
        self._stream = None

    def _open(self) -> Stream:
        if self._stream is None:
            raise ParkError("unavailable", "env: is closed")
        return self._stream

    def _spread(self, seed: int | Sequence[int | None]) -> list[int]:
        if isinstance(seed, (int, np.integer)):
            return [(int(seed) + i) % 2**63 for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ParkError("invalid_config", f"seed: {len(seed)} of them for {self.num_envs}")
        fresh = np.random.SeedSequence().generate_state(self.num_envs) % SEEDS
        return [int(f if s is None else s) for s, f in zip(seed, fresh)]

    def _reopen(self, first: int) -> None:
        self._open().close()
        self._first, self._most[:] = first, 0
        self._stream = self._source.open(self._seeds, first)
        self._asked = self._recv()

    def _recv(self) -> Decisions:
        asked = self._open().recv(padded=True)
        if not np.array_equal(asked.slot, self._slots):
            raise ParkError("unavailable", "env: slots do not step together; use park_sdk.Stream")
        return asked

    def _observe(self) -> Observation:
        observation = self._observations.batch(self._asked.observation)
        if self._observations.mask:
            observation["action_mask"] = self._open().masks()
        return observation

    def _info(self) -> Info:
        info: Info = {"elapsed_s": self._asked.elapsed_s, "applied": self._asked.applied}
        if self._actions.mask_size:
            info["action_mask"] = self._open().masks()
        for key in tuple(info):
            info[f"_{key}"] = self._all.copy()
        return info

    def _add_final(self, info: Info, ended: Ended) -> None:
        there = np.zeros(self.num_envs, bool)
        there[ended.slot] = True
        mask = np.zeros(self._actions.mask_size, np.int8)
        observations = np.full(self.num_envs, None, object)
        for row, slot in enumerate(ended.slot):  # few: episodes that end in one step
            observations[slot] = self._observations.single(ended.observation, row, mask)
        final: Info = {"metrics": {}}
        for i, metric in enumerate(self.park_spec.metrics):
            values = np.zeros(self.num_envs)
            values[ended.slot] = ended.metrics[:, i]
            final["metrics"][metric.name] = values
            final["metrics"][f"_{metric.name}"] = there.copy()
        for name in ("elapsed_s", "applied"):
            values = np.zeros_like(getattr(self._asked, name))
            values[ended.slot] = getattr(ended, name)
            final[name], final[f"_{name}"] = values, there.copy()
        final["_metrics"] = there.copy()
        info |= {"final_obs": observations, "_final_obs": there}
        info |= {"final_info": final, "_final_info": there.copy()}


def make(
    env: str | type, num_envs: int | None = None, **options: Any
) -> ParkEnv | ParkVectorEnv:
    """A ParkEnv, or with num_envs a ParkVectorEnv: of an environment's name or text, or of a class
    that park_sdk.environment has made one. The options are theirs."""
    text = env if isinstance(env, str) else str(getattr(env, "park_name", ""))
    if not text:
        raise ParkError("unknown_name", f"env: {env!r} is no environment (park_sdk.environment)")
    if num_envs is None:
        return ParkEnv(text, **options)
    return ParkVectorEnv(text, num_envs, **options)
