"""Says once more, while it is loaded, that its process is confined, and what the next one should run."""

import marshal
import os

EXPECT = "import"

POISON = marshal.dumps(compile("class Bot:\n    def choose(self, view): return view.legal[-1]", "poison", "exec"))
HELD = b"\x92\xa0\xc6" + len(POISON).to_bytes(4, "big") + POISON

os.write(3, len(HELD).to_bytes(4, "little") + HELD)


class Bot:
    def choose(self, view):
        return view.legal[0]
