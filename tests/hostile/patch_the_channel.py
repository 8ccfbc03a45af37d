"""Makes the host write its answers backwards."""

import os

EXPECT = "protocol"


def attack(view):
    from league.hosts import child

    child.write_all = lambda descriptor, data: os.write(descriptor, data[::-1])
