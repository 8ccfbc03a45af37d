"""Makes the host write its answers backwards."""

import os

EXPECT = "protocol"


def attack(view):
    from league.hosts import child

    child._say = lambda data: os.write(3, data[::-1])
