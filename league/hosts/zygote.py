"""A warm server that forks hosts: Python, the games and maybe numpy are loaded once, a bot never.

It has a single thread, talks only to the worker that started it, and ends when that worker does.
"""

from __future__ import annotations

import ctypes
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
from league.games.contract import Game, GameFile
from league.hosts import child, seeded_random
from league.hosts.confine import landlock, libc, seccomp, syscalls
from league.hosts.wire import ANSWER, REQUEST, tick_decoder
from league.values.settings import Contest

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
NUMPY = " numpy numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random league.games.arrays"


def serve(control: str, parent: str, numpy: str) -> NoReturn:
    """Fork hosts for the process that started this one, until it is gone.

    It is told the descriptor of its channel, its parent's id, and whether to load numpy.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt from the keyboard is for the league
    signal.signal(signal.SIGPROF, child.on_timer)  # for the hosts, whose timers are set when they are forked
    preloaded = PRELOADED + NUMPY if numpy else PRELOADED
    for name in [*preloaded.split(), *(f"league.games.{built_in}" for built_in in games.BUILT_IN)]:
        import_module(name)
    rules = landlock.ruleset([], landlock.library_folders()) if landlock.version() else -1
    if machine := syscalls.processor():  # made here, once, rather than in every host
        seccomp.python(machine), seccomp.gate(machine)
    channel = socket.socket(fileno=int(control))
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    watched = _watch(int(parent), poll)
    try:
        with seeded_random.routed:  # once, here: hosts are forked inside
            version = __version__.encode()
            channel.sendall(ANSWER.pack(len(version)) + version)
            _answer(channel, poll, watched, rules)
    except ConnectionError:
        os._exit(0)  # the league is gone


def _answer(channel: socket.socket, poll: select.poll, watched: int, rules: int) -> NoReturn:
    """Serve requests until the league is gone."""
    gc.set_threshold(50_000, 20, 20)
    gc.collect()
    gc.freeze()  # a collection in a host must not touch, and so copy, what was loaded here
    ended = ctypes.c_int()
    while True:
        if any(descriptor == watched for descriptor, _ in poll.poll()):
            os._exit(0)
        request, descriptors, _, _ = socket.recv_fds(channel, REQUEST.size, 4)
        if len(request) < REQUEST.size:
            os._exit(0)
        action, number = REQUEST.unpack(request)
        if action == b"f":
            spec = channel.recv(number, socket.MSG_WAITALL)
            if len(spec) < number:
                os._exit(0)
            _fork(channel, descriptors, rules, _game_of(spec))
        else:
            libc.wait(number, ended)
            channel.sendall(ended)
            ended.value = 0  # hosts get a copy of this memory: an exit code would be a note for a bot's next process


@cache
def _game_of(spec: bytes) -> Game:
    """Made once here rather than in every host, and so is what decodes its ticks."""
    contest, file = msgspec.msgpack.decode(spec, type=tuple[Contest, GameFile | None])
    if file:  # a host cannot read the file itself
        files.run(file)
    game = contest.set_up()
    tick_decoder(game.view_type)  # which is cached
    return game


def _fork(channel: socket.socket, descriptors: list[int], rules: int, game: Game) -> None:
    zygote = os.getpid()
    pid = libc.fork()
    if pid == 0:
        child.main(descriptors, zygote, rules, game)
    channel.sendall(ANSWER.pack(pid))
    for descriptor in descriptors:
        os.close(descriptor)


def _watch(parent: int, poll: select.poll) -> int:
    """Get notified when the worker ends, even if another process has inherited its end of the channel."""
    try:
        handle = os.pidfd_open(parent)
    except ProcessLookupError:
        sys.exit()
    poll.register(handle, select.POLLIN)
    return handle
