"""Environments for PettingZoo, which must be installed: several slots as agents of one game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv  # type: ignore[import-untyped]

from park_sdk.env import SEEDS
from park_sdk.errors import ParkError
from park_sdk.spaces import ActionMap, Observation, ObservationMap
from park_sdk.stream import Decisions, Episodes, Stream
from park_sdk.texts import env_text

Infos = dict[str, dict[str, Any]]


class ParkParallelEnv(ParallelEnv[str, Observation, Any]):
    """`slots` environments side by side, each the agent "slot_K". See parallel_env.

    reset(seed=s) lets slot K play episode K of the run with seed s: those of ``park run --seed s``
    in phase evaluate. Later resets go on with other episodes, which follow from the seed as well.
    """

    def __init__(self, text: str, slots: int, mean_horizon_s: float, **options: Any) -> None:
        forms = {k: options.pop(k) for k in ("observation", "mask_in_observation")}
        self.render_mode = None
        self._phase: str = options.pop("phase")
        self._text, self._slots, self._options = text, slots, options
        self._mean_horizon_s = mean_horizon_s
        self.possible_agents = [f"slot_{k}" for k in range(slots)]
        self.agents: list[str] = []
        self._numbers = {agent: k for k, agent in enumerate(self.possible_agents)}
        self._seed = int(np.random.SeedSequence().generate_state(1)[0]) % SEEDS
        self._game = 0  # of the seed
        self._stream: Stream | None = self._opened()
        self.park_spec = self._stream.spec
        self.metadata: dict[str, Any] = {
            "name": self.park_spec.name, "render_modes": [], "is_parallelizable": True
        }
        self._actions = ActionMap(self.park_spec.action)
        self._views = ObservationMap(
            self.park_spec, forms["observation"], self._actions.mask_size,
            forms["mask_in_observation"]
        )
        self._stream.close()
        self._last: dict[str, Observation] = {}
        self._info: Infos = {}
        self._asked: list[int] = []  # slots of the last questions

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same for all agents."""
        return self._views.space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same for all agents."""
        return self._actions.space

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], Infos]:
        """The first observation of every agent. Options are not used: PettingZoo's test gives any."""
        self._open().close()
        if seed is not None:
            self._seed, self._game = int(seed), 0
        self._stream = self._opened()
        self._game += 1
        self.agents = list(self.possible_agents)
        self._last, self._info = {}, {}
        self._take(self._stream.recv(padded=True))
        if len(self._last) != self._slots:
            raise ParkError("unavailable", "env: not every slot has asked; ask for fewer slots")
        return dict(self._last), dict(self._info)

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos
    ]:
        """One decision of each agent that is asked; the others' actions are not used."""
        if not self.agents:
            raise ParkError("unavailable", "step: the game is over; reset comes first")
        missing = [a for a in self.agents if self._info[a]["asked"] and a not in actions]
        if missing:
            raise ParkError("illegal_action", f"actions: none of {', '.join(missing)}")
        before = self.agents
        rows = [actions[self.possible_agents[k]] for k in self._asked]
        self._open()._core.send(self._heads(rows))
        reward = dict.fromkeys(before, 0.0)
        terminated, truncated = dict.fromkeys(before, False), dict.fromkeys(before, False)
        for agent in before:
            self._info[agent] = {**self._info[agent], "asked": False, "elapsed_s": 0.0}
        decisions = self._open().recv(padded=True)
        self._take(decisions, reward)
        self._end(decisions, reward, terminated, truncated)
        self.agents = [a for a in before if not (terminated[a] or truncated[a])]
        last = {a: self._last[a] for a in before}
        return last, reward, terminated, truncated, {a: self._info[a] for a in before}

    def close(self) -> None:
        """Frees the environments; a second time does nothing."""
        if self._stream is not None:
            self._stream.close()
        self._stream = None
        self.agents = []

    def _open(self) -> Stream:
        if self._stream is None:
            raise ParkError("unavailable", "env: is closed")
        return self._stream

    def _opened(self) -> Stream:
        seed = self._seed
        if self._game:
            words = np.random.SeedSequence([seed % 2**63, self._game]).generate_state(1)
            seed = int(words[0]) % SEEDS
        episodes = Episodes.of_run(seed, self._slots, self._phase, self._mean_horizon_s)
        return Stream(self._text, episodes, slots=self._slots, **self._options)

    def _heads(self, rows: list[Any]) -> list[NDArray[Any]]:
        if isinstance(self._actions.space, spaces.Dict):
            batch: Any = {k: np.stack([row[k] for row in rows]) for k in self._actions.space}
        else:
            batch = np.stack([np.asarray(row) for row in rows])
        return self._actions.heads(batch, len(rows))

    def _take(self, asked: Decisions, reward: dict[str, float] | None = None) -> None:
        """What the slots that are asked see."""
        self._asked = [int(k) for k in asked.slot]
        masks = self._open().masks() if len(self._asked) and self._actions.mask_size else None
        for row, slot in enumerate(self._asked):
            agent = self.possible_agents[slot]
            mask = np.empty(0, np.int8) if masks is None else masks[row]
            self._last[agent] = self._views.single(asked.observation, row, mask)
            self._info[agent] = {
                "asked": True,
                "context": int(asked.context[row]),
                "elapsed_s": float(asked.elapsed_s[row]),
                "applied": int(asked.applied[row]),
            }
            if masks is not None:
                self._info[agent]["action_mask"] = mask
            if reward is not None:
                reward[agent] += float(asked.reward[row])

    def _end(
        self,
        decisions: Decisions,
        reward: dict[str, float],
        terminated: dict[str, bool],
        truncated: dict[str, bool],
    ) -> None:
        """What the slots see whose episode has ended."""
        ended = decisions.ended
        if ended is None:
            return
        names = [m.name for m in self.park_spec.metrics]
        for row, slot in enumerate(ended.slot):
            agent = self.possible_agents[int(slot)]
            reward[agent] += float(ended.reward[row])
            truncated[agent] = bool(ended.truncated[row])
            terminated[agent] = not truncated[agent]
            nothing = np.zeros(self._actions.mask_size, np.int8)
            self._last[agent] = self._views.single(ended.observation, row, nothing)
            self._info[agent] = {
                "asked": False,
                "context": int(ended.context[row]),
                "elapsed_s": float(ended.elapsed_s[row]),
                "applied": int(ended.applied[row]),
                "metrics": dict(zip(names, (float(v) for v in ended.metrics[row]))),
            }


def parallel_env(
    env: str = "load_balance",
    slots: int = 4,
    *,
    endpoint: str | None = None,
    illegal: str = "project",
    penalty: float = 1.0,
    observation: str = "dict",
    mask_in_observation: bool = False,
    phase: str = "train",
    mean_horizon_s: float = float("inf"),
    workers: int = 0,
    timeout_s: float = 60.0,
    remote: Mapping[str, Any] | None = None,
    **config: Any,
) -> ParkParallelEnv:
    """Slots as agents, in PettingZoo's parallel form. The parameters are those of ParkVectorEnv.

    An agent is a slot: an environment of its own, or a context of a running system behind
    `endpoint`, which the system asks for. The agents share no state but that of the system. One
    game is one episode of every slot; an agent is gone when its episode has ended, and the game is
    over with the last one. Where a running system does not ask for every slot at once, the others
    keep their observation, get no reward, and have ``info["asked"]`` False; their actions are not
    used.

    Observations are those of ParkEnv: leaves of groups are filled up with zeros, ``valid_GROUP``
    tells what is there, and ``info["action_mask"]`` has all values of the integer heads.
    """
    if slots < 1:
        raise ParkError("invalid_config", f"slots: {slots}; allowed are whole numbers from 1")
    text = env_text(env, config) if config else env
    return ParkParallelEnv(
        text, slots, mean_horizon_s, endpoint=endpoint, illegal=illegal, penalty=penalty,
        observation=observation, mask_in_observation=mask_in_observation, phase=phase,
        workers=0 if endpoint is not None else workers, timeout_s=timeout_s, remote=remote,
    )
