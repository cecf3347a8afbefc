"""Park for Python: environments of computer systems that learn, and policies for them.

    import gymnasium as gym, park_sdk
    gym.register_envs(park_sdk)
    env = gym.make("Park/LoadBalance-v1", servers=4)

docs/python.md shows the rest: vectors of environments, a server elsewhere, policies and
environments that Python serves, trajectories in files. docs/python_plugins.md shows environments and
policies that are classes of Python. Without Gymnasium streams, policies, servers and trajectories
work.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from park_sdk.datasets import Trajectories, record
from park_sdk.entry_points import load_plugin
from park_sdk.errors import ParkError
from park_sdk.fields import field
from park_sdk.plugins import environment, policy
from park_sdk.serving import Server, serve, serve_env, serve_policy
from park_sdk.spec import Spec, environments, policies, spec
from park_sdk.stream import Decisions, Ended, Episodes, Policy, Stream

if TYPE_CHECKING or find_spec("gymnasium") is not None:
    from park_sdk.env import ParkEnv
    from park_sdk.registration import gym_id, register
    from park_sdk.vector import ParkVectorEnv, make

__all__ = [
    "Decisions",
    "Ended",
    "Episodes",
    "ParkEnv",
    "ParkError",
    "ParkVectorEnv",
    "Policy",
    "Server",
    "Spec",
    "Stream",
    "Trajectories",
    "environment",
    "environments",
    "field",
    "gym_id",
    "load_plugin",
    "make",
    "policies",
    "policy",
    "record",
    "register",
    "serve",
    "serve_env",
    "serve_policy",
    "spec",
]

if "register" in globals():
    register()
elif not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Says why a name of Gymnasium's part is not there."""
        if name in __all__:
            raise ModuleNotFoundError(
                f"park_sdk.{name} needs Gymnasium: pip install gymnasium", name="gymnasium"
            )
        raise AttributeError(f"module 'park_sdk' has no attribute {name!r}")
