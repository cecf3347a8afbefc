"""Servers: environments and policies, of Park or written in Python, for other processes."""

from __future__ import annotations

import atexit
import functools
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from park_sdk import _core
from park_sdk.entry_points import find
from park_sdk.spec import Spec
from park_sdk.stream import Decisions, decisions_of

if TYPE_CHECKING:
    import gymnasium as gym

ANY_PORT = "tcp://127.0.0.1:*"
Answer = Callable[[Decisions], Any]


class Server:
    """Serves on a thread of its own until `stop`, the end of the with block, or of the program."""

    def __init__(self, core: _core.Server) -> None:
        self._core = core
        self.endpoint: str = core.endpoint
        _running.add(self)

    def wait(self) -> None:
        """Until Ctrl-C."""
        self._core.wait()

    def stop(self) -> None:
        """Says farewell to all clients; a second time does nothing."""
        self._core.stop()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


_running: weakref.WeakSet[Server] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """Their threads call Python, which must still be there."""
    for server in list(_running):
        server.stop()


def serve(env: str = "", *, endpoint: str = ANY_PORT, workers: int = 2) -> Server:
    """Serves an environment of Park, such as ``load_balance(servers=4)``, or a class of Python by
    its name (park_sdk.environment); empty: any one, with bundled data alone.

    endpoint: ipc://PATH in a folder that only this user can enter, or tcp://127.0.0.1:PORT.
    workers: threads that step environments which are slower than messages.
    """
    find(env)
    return Server(_core.serve_environments(endpoint, env, workers))


class _PolicyAdapter:
    """What the compiled part calls."""

    def __init__(self, spec: Spec, policy: Any) -> None:
        self._heads = [leaf.name for leaf in spec.action.leaves]
        self._start = getattr(policy, "start", None)
        self._act: Answer = getattr(policy, "act", policy)

    def start(
        self, slot: int, number: int, inputs: int, dynamics: int, horizon_s: float, key: int
    ) -> None:
        if self._start is not None:
            self._start(slot, key)

    def act(self, fields: tuple[Any, ...]) -> list[ArrayLike]:
        answer = self._act(decisions_of(fields))
        return [answer[h] for h in self._heads] if isinstance(answer, dict) else [answer]

    def scores(self, *asked: Any) -> None:
        """There are none."""


def serve_policy(
    make: Callable[[Spec], Any],
    *,
    endpoint: str = ANY_PORT,
    name: str = "python",
    workers: int = 2,
) -> Server:
    """Serves a policy: ``park run ENV --policy 'remote(endpoint=...)'`` plays it.

    `make(spec)` is called for each client, with the spec of its environment. It returns a function,
    or an object with `act`, that takes Decisions with n rows and returns an array [n], or a dict
    head -> array [n]. An object may also have `start(slot, key)`, called before the first row of
    an episode in a slot; key is a number from which a policy that draws takes its chance. What
    these raise fails the client's request and is told there in one line.
    """

    def adapter(d: dict[str, Any]) -> _PolicyAdapter:
        spec = Spec.from_dict(d)
        return _PolicyAdapter(spec, make(spec))

    return Server(_core.serve_policy(endpoint, name, adapter, workers))


def serve_env(
    make: str | Callable[[], gym.Env[Any, Any]],
    *,
    endpoint: str = ANY_PORT,
    name: str | None = None,
    workers: int = 2,
) -> Server:
    """Serves an environment of Gymnasium: ``park train 'remote(endpoint=...)'`` trains on it.

    make: an id of Gymnasium, or a function that makes one; called for each slot of each client.
    name: of the environment, lower-case words; None: from its id.

    Observations: Box, Discrete, MultiDiscrete, MultiBinary, and Dict and Tuple of these, are leaves
    obs and obs.NAME. Actions likewise are heads action and action.NAME; those of a Box are
    [-1, 1] here and are scaled to its bounds, which must be finite. Numbers of an observed Discrete
    or MultiDiscrete are categories: networks tell them apart and see no order in them. info["action_mask"] of a
    Discrete action becomes the leaf mask.action. A step takes one second. Metrics are
    episode_return and episode_length.
    """
    import gymnasium as gym  # only what serves its environments needs it

    from park_sdk.served_env import EnvAdapter, spec_of

    maker = functools.partial(gym.make, make) if isinstance(make, str) else make
    spec = spec_of(maker, name)

    def adapter() -> EnvAdapter:
        return EnvAdapter(maker(), spec)

    return Server(_core.serve_env(endpoint, spec.to_dict(), adapter, workers))
