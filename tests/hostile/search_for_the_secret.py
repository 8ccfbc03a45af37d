"""Looks through all modules for what the league's random numbers follow from."""

import re
import sys

EXPECT = "contained"
HOOK = "start"


def attack(table):
    for name, module in list(sys.modules.items()):
        if name.startswith("league"):
            for value in list(vars(module).values()):
                if isinstance(value, str) and re.fullmatch("[0-9a-f]{32}", value):
                    raise AssertionError(f"a secret in {name}")
