"""The tests of this folder are for a plain system, or one that looks like it: `make test-plain` runs them."""

from league.tools.system import PLAIN

collect_ignore_glob = [] if PLAIN else ["test_*.py"]
