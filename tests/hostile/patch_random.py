"""Replaces the random numbers of everybody who shares its interpreter."""

import random

EXPECT = "contained"


def attack(view):
    random.seed(1)
    random.random = lambda: 0.0
    random.choice = lambda options: options[0]
    random.Random.random = lambda self: 0.0
    random.Random.shuffle = lambda self, items: None
