"""The environment newenv for Park, and policies for it."""

from park_newenv.environment import SingleServer
from park_newenv.policies import FirstCome, Shortest

__all__ = ["FirstCome", "Shortest", "SingleServer"]
