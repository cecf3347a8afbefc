"""The policy newpolicy for Park."""

from park_newpolicy.policy import WeightedDelay

__all__ = ["WeightedDelay"]
