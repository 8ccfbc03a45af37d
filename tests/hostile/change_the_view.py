"""Changes the view that it was handed."""

EXPECT = "contained"


def attack(view):
    for change in (lambda: setattr(view, "prize", 99), lambda: setattr(view, "scores", (99, 0))):
        try:
            change()
        except AttributeError:
            continue
        raise AssertionError("the view was changed")
