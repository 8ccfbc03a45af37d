"""What all tests need: nothing depends on how quick the machine is, or on how the tests were started."""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background processes ignore it, and theirs too
