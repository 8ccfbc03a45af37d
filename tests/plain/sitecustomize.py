"""Hides from League what Windows lacks, in this process and all that it starts: put this folder on PYTHONPATH.

Only code of League is misled: pytest and the packages see the system as it is. A file of `/proc` is not there, a
module or a name that Windows does not have is missing, and nothing can be forked.
"""

from __future__ import annotations

import builtins
import multiprocessing
import multiprocessing.context
import sys
from types import ModuleType
from typing import Any

MODULES = {"fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty"}
NAMES = {
    "os": """
        EX_SOFTWARE O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_PATH chown fork forkpty fwalk getegid geteuid getgid
        getloadavg getuid killpg memfd_create mkfifo nice pidfd_open posix_spawn pread register_at_fork
        sched_getaffinity sched_setaffinity setsid statvfs sysconf uname wait waitpid
    """,
    "signal": "ITIMER_PROF SIGCONT SIGHUP SIGKILL SIGPIPE SIGPROF SIGSTOP pidfd_send_signal pthread_sigmask setitimer",
    "select": "POLLERR POLLIN POLLOUT epoll poll",
    "socket": "AF_UNIX recv_fds send_fds",
    "time": "clock_gettime",
    "ctypes": "CDLL PyDLL",
}
"""What the typeshed calls missing on Windows, of what League has ever used or may be tempted to."""

_import = builtins.__import__


def _is_league(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] == "league"


def _importing(name: str, importer: Any = None, *more: Any, **by_name: Any) -> ModuleType:
    importer = importer or by_name.get("globals")
    if name in MODULES and importer and _is_league(importer.get("__name__")):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return _import(name, importer, *more, **by_name)


class Lacking(ModuleType):
    """A module that has some names only for those who are not League."""

    def __getattribute__(self, name: str) -> Any:
        lacked = object.__getattribute__(self, "__dict__")["__lacked__"]
        if name in lacked and _is_league(sys._getframe(1).f_globals.get("__name__")):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        return super().__getattribute__(name)


def _no_proc(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in ("open", "os.listdir", "os.scandir") or not str(arguments[0]).startswith("/proc"):
        return
    frame = sys._getframe(1)
    if _is_league(frame.f_globals.get("__name__")):
        raise FileNotFoundError(2, "No such file or directory", arguments[0])


def hide() -> None:
    """Hide it all, for as long as this process lives."""
    builtins.__import__ = _importing  # type: ignore[assignment]
    for name, lacked in NAMES.items():
        module = _import(name)
        vars(module)["__lacked__"] = frozenset(lacked.split())
        module.__class__ = Lacking
    os: Any = _import("os")
    os.supports_dir_fd = set()
    multiprocessing.set_start_method("spawn", force=True)
    contexts: Any = multiprocessing.context
    for method in ("fork", "forkserver"):
        contexts._concrete_contexts.pop(method)
    sys.addaudithook(_no_proc)


hide()
