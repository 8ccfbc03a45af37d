"""Never stops, and catches whatever is raised in it."""

EXPECT = "timeout"


def attack(view):
    while True:
        try:
            while True:
                pass
        except BaseException:  # noqa: BLE001
            pass
