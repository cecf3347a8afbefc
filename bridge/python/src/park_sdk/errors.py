"""The one exception that Park raises."""

from __future__ import annotations


class ParkError(RuntimeError):
    """Something is wrong with an input, a server or an environment.

    The text has one line for each thing that is wrong; each names the field and what is allowed.
    `code` is for programs: invalid_config, invalid_space, illegal_action, unknown_name, syntax,
    capacity, bad_file, io, unavailable, not_finite or not_allowed.
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code

    def __reduce__(self) -> tuple[type[ParkError], tuple[str, str]]:
        return type(self), (self.code, str(self))
