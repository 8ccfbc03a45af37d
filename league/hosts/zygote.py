"""A warm server that forks hosts: Python, the games and maybe numpy are loaded once, a bot never.

It has a single thread, talks only to the worker that started it, and ends when that worker does.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
from functools import cache
from importlib import import_module
from typing import NoReturn

import msgspec

from league import __version__, games
from league.games import files
from league.hosts import child, dice
from league.hosts.confine import landlock, libc, seccomp, syscalls
from league.hosts.wire import tick_decoder
from league.hosts.zygote_wire import ANSWER, PLACE, REQUEST, GameSpec, Ready

PRELOADED = """
    __future__ _strptime abc argparse array ast asyncio base64 bisect calendar cmath codecs collections colorsys
    concurrent.futures contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib
    encodings.ascii encodings.cp437 encodings.idna encodings.latin_1 encodings.utf_16 encodings.utf_8_sig enum errno
    fnmatch fractions functools glob graphlib gzip hashlib heapq hmac html inspect io itertools
    json keyword linecache locale logging math msgspec multiprocessing numbers
    operator os pathlib pickle pprint queue random re reprlib secrets select selectors shutil signal socket
    statistics string struct subprocess tempfile textwrap threading time timeit tokenize traceback types typing
    unicodedata unittest uuid warnings weakref zipfile zlib
"""
"""What a bot can import at once, and on kernels without Landlock all that it can import, with numpy."""
NUMPY = " numpy numpy.linalg numpy.random"


def serve(control: int, parent: int, has_numpy: int) -> NoReturn:
    """Fork hosts for the process that holds the other end of `control`, until it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt from the keyboard is for the league
    signal.signal(signal.SIGPROF, child.on_timer)  # for the hosts, whose timers are set when they are forked
    preloaded = PRELOADED + NUMPY if has_numpy else PRELOADED
    for name in [*preloaded.split(), *(f"league.games.{built_in}" for built_in in games.BUILT_IN)]:
        import_module(name)
    rules = landlock.ruleset([], landlock.library_folders()) if sys.platform == "linux" and landlock.version() else -1
    if machine := syscalls.processor():
        seccomp.template("landlock", machine)
        seccomp.template("sealed", machine)
    channel = socket.socket(fileno=control)
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    watched = _watch(parent, poll)
    try:
        with dice.routed:  # once, here: hosts are forked inside
            _answer(channel, poll, watched, rules)
    except ConnectionError:
        os._exit(0)  # the league is gone


def _answer(channel: socket.socket, poll: select.poll, watched: int, rules: int) -> NoReturn:
    """Serve requests until the league is gone."""
    ready = Ready(__version__, PLACE, landlock.version() if sys.platform == "linux" else 0)
    said = msgspec.msgpack.encode(ready)
    gc.collect()
    gc.freeze()  # a collection in a host must not touch, and so copy, what was loaded here
    channel.sendall(ANSWER.pack(len(said)) + said)
    while True:
        if any(descriptor == watched for descriptor, _ in poll.poll()):
            os._exit(0)
        request, descriptors, _, _ = socket.recv_fds(channel, REQUEST.size, 3)
        if len(request) < REQUEST.size:
            os._exit(0)
        action, number = REQUEST.unpack(request)
        if action == b"f":
            spec = channel.recv(number, socket.MSG_WAITALL)
            if len(spec) < number:
                os._exit(0)
            _fork(channel, descriptors, rules, _rules_of(spec))
        else:
            status = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
            if action == b"w":
                channel.sendall(ANSWER.pack(status))


@cache
def _rules_of(spec: bytes) -> child.Rules:
    """Made once here rather than in every host."""
    wanted = msgspec.msgpack.decode(spec, type=GameSpec)
    rules = files.run(wanted.file) if wanted.file else games.find(wanted.name)
    game = rules(wanted.players, wanted.options)
    return child.Rules(game, tick_decoder(game.view_type))


def _fork(channel: socket.socket, descriptors: list[int], rules: int, game: child.Rules) -> None:
    own = os.getpid()
    pid = libc.fork()
    if pid == 0:
        child.main(descriptors, rules, own, game)
    handle = [os.pidfd_open(pid)] if hasattr(os, "pidfd_open") else []
    socket.send_fds(channel, [ANSWER.pack(pid)], handle)
    for descriptor in descriptors + handle:
        os.close(descriptor)


def _watch(parent: int, poll: select.poll) -> int:
    """Get notified when the worker ends, even if another process has inherited its end of the channel."""
    if not hasattr(os, "pidfd_open"):
        return -1
    try:
        handle = os.pidfd_open(parent)
    except ProcessLookupError:
        sys.exit()
    poll.register(handle, select.POLLIN)
    return handle
