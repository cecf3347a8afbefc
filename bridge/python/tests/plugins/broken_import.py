"""A module that cannot be imported."""

import no_such_package_of_park  # noqa: F401
