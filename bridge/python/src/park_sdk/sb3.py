"""Environments for Stable-Baselines3 and sb3-contrib, which must be installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from park_sdk.vector import ParkVectorEnv

Features = Callable[[dict[str, NDArray[Any]]], NDArray[Any]]


class SB3VecEnv(VecEnv):
    """A ParkVectorEnv as a VecEnv, with masks for MaskablePPO; a step is one call of compiled code.

    envs: the environments; it closes them.
    features: a function from the columns of an observation (key -> [n, numbers]) to what the
        network sees, [n, ...] in `space`; without it the network sees the Dict.
    reward_scale: a factor for the rewards that the algorithm sees.

    Each episode's end has info["episode"] with its return `r`, without the factor, and length `l`.
    """

    def __init__(
        self,
        envs: ParkVectorEnv,
        features: Features | None = None,
        space: spaces.Space[Any] | None = None,
        reward_scale: float = 1.0,
    ) -> None:
        self.envs = envs
        self._features: Callable[[Any], Any] = features or (lambda columns: columns)
        self._scale = reward_scale
        self._actions: Any = None
        self._returns = np.zeros(envs.num_envs)
        self._lengths = np.zeros(envs.num_envs, np.int64)
        super().__init__(
            envs.num_envs, space or envs.single_observation_space, envs.single_action_space
        )

    def reset(self) -> Any:
        """Begins with the seed of `seed`, if it was called."""
        seed = self._seeds[0]
        observation, _ = self.envs.reset(seed=seed)
        self._reset_seeds()
        self._returns[:], self._lengths[:] = 0, 0
        return self._features(observation)

    def step_async(self, actions: NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        observation, reward, terminated, truncated, info = self.envs.step(self._actions)
        done = terminated | truncated
        self._returns += reward
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(done):
            final = {k: v[None] for k, v in info["final_obs"][i].items()}
            last = self._features(final)
            infos[i] = {
                "episode": {"r": self._returns[i], "l": int(self._lengths[i]), "t": 0.0},
                "TimeLimit.truncated": bool(truncated[i]),
                "terminal_observation": (
                    {k: v[0] for k, v in last.items()} if isinstance(last, dict) else last[0]
                ),
            }
        self._returns[done], self._lengths[done] = 0, 0
        scaled = (reward * self._scale).astype(np.float32)
        return self._features(observation), scaled, done, infos

    def close(self) -> None:
        self.envs.close()

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """action_masks is the only method."""
        if method_name != "action_masks":
            raise AttributeError(method_name)
        masks = self.envs.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        value = getattr(self.envs, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"{attr_name}: environments are set up when they are made")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> Sequence[bool]:
        return [False for _ in self._get_indices(indices)]
