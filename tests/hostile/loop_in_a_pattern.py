"""Gives the regular expression engine a riddle that takes for ever."""

import re

EXPECT = "timeout"


def attack(view):
    re.match(r"(a+)+$", "a" * 64 + "b")
