"""What the launcher and the zygote say to each other. Apart from both, so that neither loads what the other needs."""

from __future__ import annotations

import struct

REQUEST = struct.Struct("<cI")
"""`f`: fork, with the host's descriptors. `w`, `d`: wait for this process, with or without an answer."""
ANSWER = struct.Struct("<i")
"""The process id (with a handle on it), or how the process ended. The first answer is the version of Landlock."""
