"""Played episodes as datasets of Minari, which must be installed, for offline learning.

python -m park_sdk.minari load_balance --policy least_work --episodes 100 --dataset park/lb/least_work-v0
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any

import minari  # type: ignore[import-untyped]
import numpy as np
from gymnasium.envs.registration import EnvSpec
from minari.data_collector import EpisodeBuffer  # type: ignore[import-untyped]
from numpy.typing import ArrayLike, NDArray

from park_sdk.errors import ParkError
from park_sdk.spaces import ActionMap, ObservationMap
from park_sdk.spec import Spec
from park_sdk.stream import Decisions, Episodes, Policy, Stream

MOST_SLOTS = 16


class _Episode:
    """The rows of one episode, in order."""

    def __init__(self) -> None:
        self.observations: list[dict[str, NDArray[Any]]] = []
        self.actions: list[Any] = []
        self.rewards: list[float] = []
        self.masks: list[NDArray[np.int8]] = []
        self.elapsed_s: list[float] = []
        self.truncated = False
        self.metrics: NDArray[np.float64] = np.empty(0)

    def buffer(self, number: int, seed: int, names: list[str]) -> EpisodeBuffer:
        """As Minari keeps it; infos have a row more than actions, as observations have."""
        steps = len(self.actions)
        last = np.zeros(steps, bool)
        last[-1] = True
        infos: dict[str, Any] = {"elapsed_s": np.array(self.elapsed_s)}
        if self.masks and self.masks[0].size:
            infos["action_mask"] = np.stack([*self.masks, np.zeros_like(self.masks[0])])
        metrics = np.full((steps + 1, len(names)), np.nan)
        metrics[-1] = self.metrics
        infos["metrics"] = {name: metrics[:, i] for i, name in enumerate(names)}
        return EpisodeBuffer(
            id=number,
            seed=seed,
            observations=_stacked(self.observations),
            actions=_stacked(self.actions),
            rewards=list(self.rewards),
            terminations=list(last & (not self.truncated)),
            truncations=list(last & self.truncated),
            infos=infos,
        )


def _stacked(rows: list[Any]) -> Any:
    if isinstance(rows[0], dict):
        return {key: np.stack([row[key] for row in rows]) for key in rows[0]}
    return np.stack(rows)


def export(
    env: str,
    policy: str | Callable[[Decisions], ArrayLike],
    episodes: int,
    dataset_id: str,
    *,
    seed: int = 1,
    phase: str = "evaluate",
    endpoint: str | None = None,
    about: Mapping[str, Any] | None = None,
    **config: Any,
) -> minari.MinariDataset:
    """Plays episodes 0 to `episodes` - 1 of a run and keeps them as a local dataset of Minari.

    env, config, endpoint: as of park_sdk.Stream. Inputs and rewards are those of
    ``park run --seed`` in phase evaluate.
    policy: the text of a policy, or a function of what is asked (padded, see Stream.recv) that
        gives the array of each head by name, or the only head's array.
    dataset_id: as Minari asks for, such as park/load_balance/least_work-v0; it must be new.
    about: more of the dataset's metadata: author, author_email, code_permalink, algorithm_name ...

    Observations are the padded Dicts of ParkEnv, and actions those of its action space. infos have
    elapsed_s, action_mask where heads are integer, and in the last row the metrics of the episode.
    """
    if episodes < 1:
        raise ParkError("invalid_config", f"episodes: {episodes}; allowed are whole numbers from 1")
    run = Episodes.of_run(seed, episodes, phase)
    with Stream(
        env, run, slots=min(episodes, MOST_SLOTS), endpoint=endpoint, **config
    ) as stream:
        actions = ActionMap(stream.spec.action)
        views = ObservationMap(stream.spec, "dict", actions.mask_size, False)
        act = Policy(policy, stream.spec, seed, phase) if isinstance(policy, str) else policy
        played = _play(stream, act, actions, views)
        names = [m.name for m in stream.spec.metrics]
        known = _gym_spec(stream.spec) if endpoint is None else None
        buffers = [played[number].buffer(number, seed, names) for number in sorted(played)]
        return minari.create_dataset_from_buffers(
            dataset_id,
            buffers,
            env=known,
            observation_space=views.space,
            action_space=actions.space,
            **{
                "algorithm_name": policy if isinstance(policy, str) else None,
                "description": f"{stream.spec.text}: episodes of phase {phase}, seed {seed}",
                **(about or {}),
            },
        )


def _gym_spec(spec: Spec) -> EnvSpec:
    """For MinariDataset.recover_environment."""
    return EnvSpec(
        id=f"ParkDataset/{spec.name}-v{spec.version}",
        entry_point="park_sdk:ParkEnv",
        kwargs={"env": spec.text, "phase": "evaluate"},
    )


def _play(
    stream: Stream, act: Any, actions: ActionMap, views: ObservationMap
) -> dict[int, _Episode]:
    played: dict[int, _Episode] = {}
    nothing = np.empty(0, np.int8)
    while True:
        asked = stream.recv(padded=True)
        if asked.ended is not None:
            _take_ends(asked, views, played)
        if asked.done:
            return played
        masks = stream.masks() if actions.mask_size else np.empty((len(asked.slot), 0), np.int8)
        answer = act.act(stream) if isinstance(act, Policy) else act(asked)
        columns = answer if isinstance(answer, dict) else {actions.leaves[0].name: answer}
        given = actions.actions(columns, len(asked.slot))
        for row, number in enumerate(asked.context):
            episode = played.setdefault(int(number), _Episode())
            if episode.actions:
                episode.rewards.append(float(asked.reward[row]))
            episode.elapsed_s.append(float(asked.elapsed_s[row]))
            episode.observations.append(views.single(asked.observation, row, nothing))
            episode.masks.append(masks[row])
            episode.actions.append(given[row])
        stream.send(columns)


def _take_ends(asked: Decisions, views: ObservationMap, played: dict[int, _Episode]) -> None:
    ended = asked.ended
    assert ended is not None
    for row, number in enumerate(ended.context):
        episode = played[int(number)]
        episode.rewards.append(float(ended.reward[row]))
        episode.elapsed_s.append(float(ended.elapsed_s[row]))
        episode.observations.append(
            views.single(ended.observation, row, np.empty(0, np.int8))
        )
        episode.truncated = bool(ended.truncated[row])
        episode.metrics = ended.metrics[row]


def main(words: list[str] | None = None) -> int:
    """The command line; the exit status."""
    parser = argparse.ArgumentParser(prog="park_sdk.minari", description=export.__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("env", help="such as 'load_balance(servers=4)'")
    parser.add_argument("--policy", required=True)
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--dataset", required=True, help="such as park/lb/least_work-v0")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--phase", choices=("train", "validate", "evaluate"), default="evaluate")
    args = parser.parse_args(words)
    try:
        made = export(args.env, args.policy, args.episodes, args.dataset, seed=args.seed,
                      phase=args.phase)
    except (ParkError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{args.dataset}: {made.total_episodes} episodes, {made.total_steps} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
