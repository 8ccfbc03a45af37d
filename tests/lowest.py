"""Prints the lowest versions of packages that pyproject.toml allows to play, as constraints for pip: `make lowest`."""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def constraints(text: str) -> list[str]:
    """`numpy>=2.0` becomes `numpy==2.0`, for League itself and for the extras that it plays with."""
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["dask"], *extras["parquet"]]
    return sorted(re.sub(r"\[.*?\]", "", requirement).replace(">=", "==") for requirement in needed)


if __name__ == "__main__":
    print("\n".join(constraints(PROJECT.read_text())))
