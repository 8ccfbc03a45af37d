"""Attacks of a few lines, by name; longer ones are files in tests/hostile."""

from __future__ import annotations

from textwrap import indent

PREAMBLE = '''
import ctypes, gc, itertools, mmap, os, re, signal, struct, sys, threading, time

def timer():
    return next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")

def say(message):
    os.write(3, len(message).to_bytes(4, "little") + message)

def forge(troubles=b"", after=b"", ahead=0):
    """Write the answer that the host would write to this tick, or to one after it, with other moves."""
    moves = [view.legal[ahead] for view in timer().tick.views]
    head = struct.pack("<III", timer().serial + ahead, len(moves), len(troubles))
    os.write(3, head + struct.pack(f"<{len(moves)}i", *moves) + troubles + after)

def trouble(view, cause):
    tick = timer().tick
    return b"\\x95" + bytes([tick.slots[tick.views.index(view)]]) + b"\\xa5error" + cause + b"\\xa0\\xc2"
'''
CHOOSING = {
    "abort": ("crash", "os.abort()"),
    "break_the_interpreter": ("crash", "ctypes.memset(id(type(view)), 255, 512)"),
    "close_and_go_on": ("crash", "os.close(3)"),
    "close_the_channel": ("crash", "os.close(3)\nwhile True: pass"),
    "error_like_an_interrupt": ("error", "raise KeyboardInterrupt"),
    "error_with_a_trap": ("error", "class Trap(Exception):\n    __str__ = __repr__ = lambda self: 1 / 0\nraise Trap"),
    "error_with_escapes": ("error", "raise ValueError('\\x1b[2J\\x1b[H\\r\\n\\u202e' + 'boo ' * 100000)"),
    "exit_at_once": ("crash", "os._exit(0)"),
    "exit_politely": ("error", "sys.exit(0)"),
    "false_results": (
        "contained",
        "print('1,mallory,1000,50.0'); print('mallory has won', file=sys.stderr, flush=True)",
    ),
    "flood_output": (
        "contained",
        "for _ in range(50): print('x' * 10_000); print('y' * 10_000, file=sys.stderr); os.write(2, b'z' * 10_000)",
    ),
    "forge_a_few_bytes": ("protocol", "os.write(3, b'\\x01\\x00\\x00\\x00\\x01')"),
    "forge_an_empty_answer": ("protocol", "os.write(3, struct.pack('<III', timer().serial, 0, 0))"),
    "forge_and_add_garbage": ("protocol", "forge(after=b'\\xab' * 64)"),
    "forge_and_die": ("crash", "forge(); os._exit(1)"),
    "forge_by_the_timer": (
        "protocol",
        "signal.signal(signal.SIGPROF, lambda *_: os.write(3, b'\\xab' * 64)); end = time.process_time() + 0.03\n"
        "while time.process_time() < end: pass",
    ),
    "forge_stray_bytes": ("protocol", "os.write(3, b'\\xab' * 64)"),
    "forge_the_next_answer": ("protocol", "forge(); forge(ahead=1)"),
    "forge_the_serial": ("protocol", "timer().serial += 7"),
    "forge_what_was_printed": ("contained", "page = sys.stdout.buffer.shared; page[:] = b'\\xff' * len(page)"),
    "hoard_and_crash": ("crash", "sys.hoard = bytearray(48 << 20); os._exit(1)"),
    "kill_itself": ("crash", "try: os.kill(os.getpid(), signal.SIGKILL)\nfinally: os._exit(1)"),
    "kill_itself_strangely": ("crash", "try: os.kill(os.getpid(), 40)\nfinally: os._exit(1)"),
    "lie_about_the_position": ("crash", "timer()._position[0] = 0; os._exit(1)"),
    "loop_catching_everything": (
        "timeout",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    ),
    "loop_ignoring_the_timer": ("timeout", "signal.signal(signal.SIGPROF, signal.SIG_IGN)\nwhile True: pass"),
    "loop_in_a_big_number": ("timeout", "return len(str(7 ** 7 ** 11))"),
    "loop_in_a_pattern": ("timeout", "re.match('(a+)+$', 'a' * 64 + 'b')"),
    "loop_in_c": ("timeout", "max(itertools.repeat(1))"),
    "loop_in_python": ("timeout", "while True: pass"),
    "loop_moving_its_position": (
        "timeout",
        "signal.signal(signal.SIGPROF, signal.SIG_IGN); own = timer()\n"
        "while True: own._position[0] = (own._position[0] + 1) % len(own.tick.slots)",
    ),
    "loop_with_signals_off": (
        "timeout",
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))\nwhile True: pass",
    ),
    "memory_at_once": ("memory", "bytearray(1 << 36)"),
    "memory_bit_by_bit": ("memory", "hoard = []\nwhile True: hoard.append(bytearray(100000))"),
    "memory_doubling": ("memory", "text = 'x'\nwhile True: text += text"),
    "memory_shared": ("memory", "hoard = []\nwhile True: hoard.append(mmap.mmap(-1, 1 << 26))"),
    "patch_the_channel": (
        "protocol",
        "from league.hosts import child\nchild.write_all = lambda descriptor, data: os.write(descriptor, data[::-1])",
    ),
    "recursion": ("error", "return attack(view)"),
    "reply_bad_text": ("protocol", "forge(b'\\x91' + trouble(view, b'\\xa2\\xff\\xfe'))\nwhile True: pass"),
    "reply_fraction": ("illegal", "return float(view.legal[0])"),
    "reply_garbage": ("protocol", "os.write(3, b'\\xff' * 4096)\nwhile True: pass"),
    "reply_giant": ("illegal", "return 10 ** 10000"),
    "reply_hugely": ("protocol", "while True: os.write(3, b'\\x00' * 65536)"),
    "reply_many_faults": (
        "protocol",
        "forge(b'\\xdd' + struct.pack('>I', 1000) + 1000 * trouble(view, b'\\xa3boo'))\nwhile True: pass",
    ),
    "reply_not_held": ("illegal", "return 99"),
    "reply_partly": ("crash", "os.write(3, b'\\x00' * 3); os._exit(0)"),
    "reply_text": ("illegal", "return '7'"),
    "reply_true": ("illegal", "return True"),
    "reply_twice": ("protocol", "forge()"),
    "reply_with_false_blame": (
        "protocol",
        "forge(b'\\x91\\x95\\xcd\\x27\\x0f\\xa5crash\\xa3boo\\xa0\\xc2')\nwhile True: pass",
    ),
    "segfault": ("crash", "ctypes.string_at(0)"),
    "sleep": ("timeout", "time.sleep(3600)"),
    "sleep_by_steps": (
        "timeout",
        "own = timer()\nwhile True: time.sleep(0.01); own._position[0] = (own._position[0] + 1) % len(own.tick.slots)",
    ),
    "stop_itself": ("timeout", "try: os.kill(os.getpid(), signal.SIGSTOP)\nfinally: time.sleep(3600)"),
    "system_call_in_disguise": (
        "crash",
        "if os.uname().machine != 'x86_64': os.abort()\nctypes.CDLL(None).syscall(0x40000000 + 39)",
    ),
    "think_after_answering": ("timeout", "signal.signal(signal.SIGPROF, signal.SIG_IGN); forge()\nwhile True: pass"),
    "wait_for_a_lock": ("timeout", "lock = threading.Lock(); lock.acquire(); lock.acquire()"),
    "wait_for_input": ("timeout", "os.read(3, 1)"),
}
"""Name to the kind of fault, or "contained", and what is done with a view in a decision."""
STARTING = {
    "crash_in_start": ("crash", "os._exit(1)"),
    "forge_in_start": ("protocol", "os.write(3, b'\\x00' * 64)"),
    "hoard_in_start": ("memory", "return len(bytearray(1 << 36))"),
    "loop_in_c_in_start": ("timeout", "max(itertools.repeat(1))"),
    "loop_in_start": ("timeout", "while True: pass"),
}
"""What is done in `start`."""
FINISHING = {
    "crash_in_finish": ("crash", "os._exit(1)"),
    "error_in_finish": ("error", "raise ValueError('sore loser')"),
    "forge_in_finish": ("protocol", "os.write(3, b'\\xff' * 13)"),
    "loop_in_finish": ("timeout", "while True: pass"),
    "sleep_in_finish": ("timeout", "time.sleep(3600)"),
}
"""What is done in `finish`."""
LOADING = {
    "import_nothing": "class Robot: pass",
    "import_bad_text": "say(b'\\x92\\xa2\\xff\\xfe\\xa0'); raise ValueError",
    "import_exits": "os._exit(0)",
    "import_fails": "raise ValueError('\\x1b[31mnot today')",
    "import_false_alarm": "say(b'\\x91\\xa4hole'); raise ValueError",
    "import_hoards": "HOARD = bytearray(1 << 36)",
    "import_never_ends": "while True: pass",
    "import_ready_too_early": "say(b'\\x92\\xa0\\xa0'); raise ValueError",
    "import_sleeps": "time.sleep(3600)",
    "import_speaks": "os.write(3, b'\\xff\\xff\\xff\\xff' * 64); raise ValueError",
}
"""What is done while the file is loaded."""
LATE = ("forge_and_add_garbage", "forge_and_die", "forge_the_next_answer", "reply_twice", "think_after_answering")
"""They are noticed a tick later, so other moves may have been played."""
SHORT = {*CHOOSING, *STARTING, *FINISHING, *LOADING}


def text_of(name: str) -> str:
    """The file of an attack."""
    if name in LOADING:
        return f"EXPECT = 'import'\n{PREAMBLE}\n{LOADING[name]}\n"
    hooks = {"choose": CHOOSING, "start": STARTING, "finish": FINISHING}
    hook, (expected, code) = next((hook, attacks[name]) for hook, attacks in hooks.items() if name in attacks)
    head = f"EXPECT = {expected!r}\nHOOK = {hook!r}\nEXACT = {name not in LATE}\n{PREAMBLE}\n"
    return f"{head}\ndef attack(view):\n{indent(code, '    ')}\n"
