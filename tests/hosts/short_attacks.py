"""Attacks of a few lines, by name; longer ones are files in tests/hostile."""

from __future__ import annotations

from textwrap import indent

PREAMBLE = """
import ctypes, gc, itertools, mmap, os, re, signal, sys, threading, time

def timer():
    return next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")

def say(message):
    os.write(3, len(message).to_bytes(4, "little") + message)
"""
CHOOSING = {
    "abort": ("crash", "os.abort()"),
    "break_the_interpreter": ("crash", "ctypes.memset(id(type(view)), 255, 512)"),
    "close_and_go_on": ("crash", "os.close(3)"),
    "close_the_channel": ("crash", "os.close(3)\nwhile True: pass"),
    "error_like_an_interrupt": ("error", "raise KeyboardInterrupt"),
    "error_with_escapes": ("error", "raise ValueError('\\x1b[2J\\x1b[H\\r\\n\\u202e' + 'boo ' * 100000)"),
    "exit_at_once": ("crash", "os._exit(0)"),
    "exit_politely": ("error", "sys.exit(0)"),
    "false_results": (
        "contained",
        "print('1,mallory,1000,50.0'); print('mallory has won', file=sys.stderr, flush=True)",
    ),
    "forge_a_few_bytes": ("protocol", "os.write(3, b'\\x01\\x00\\x00\\x00\\x01')"),
    "forge_stray_bytes": ("protocol", "os.write(3, b'\\xab' * 64)"),
    "forge_the_serial": ("protocol", "timer().serial += 7"),
    "forge_what_was_printed": ("contained", "page = sys.stdout.buffer.shared; page[:] = b'\\xff' * len(page)"),
    "kill_itself": ("crash", "try: os.kill(os.getpid(), signal.SIGKILL)\nfinally: os._exit(1)"),
    "kill_itself_strangely": ("crash", "try: os.kill(os.getpid(), 40)\nfinally: os._exit(1)"),
    "lie_about_the_position": ("crash", "timer()._position[0] = 0; os._exit(1)"),
    "loop_ignoring_the_timer": ("timeout", "signal.signal(signal.SIGPROF, signal.SIG_IGN)\nwhile True: pass"),
    "loop_in_a_big_number": ("timeout", "return len(str(7 ** 7 ** 11))"),
    "loop_in_a_pattern": ("timeout", "re.match('(a+)+$', 'a' * 64 + 'b')"),
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
    "recursion": ("error", "return attack(view)"),
    "reply_fraction": ("illegal", "return float(view.legal[0])"),
    "reply_garbage": ("protocol", "os.write(3, b'\\xff' * 4096)\nwhile True: pass"),
    "reply_giant": ("illegal", "return 10 ** 10000"),
    "reply_hugely": ("protocol", "while True: os.write(3, b'\\x00' * 65536)"),
    "reply_not_held": ("illegal", "return 99"),
    "reply_partly": ("crash", "os.write(3, b'\\x00' * 3); os._exit(0)"),
    "reply_text": ("illegal", "return '7'"),
    "reply_true": ("illegal", "return True"),
    "segfault": ("crash", "ctypes.string_at(0)"),
    "sleep": ("timeout", "time.sleep(3600)"),
    "sleep_by_steps": (
        "timeout",
        "own = timer()\nwhile True: time.sleep(0.01); own._position[0] = (own._position[0] + 1) % len(own.tick.slots)",
    ),
    "system_call_in_disguise": (
        "crash",
        "if os.uname().machine != 'x86_64': os.abort()\nctypes.CDLL(None).syscall(0x40000000 + 39)",
    ),
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
SHORT = {*CHOOSING, *STARTING, *FINISHING, *LOADING}


def text_of(name: str) -> str:
    """The file of an attack."""
    if name in LOADING:
        return f"EXPECT = 'import'\n{PREAMBLE}\n{LOADING[name]}\n"
    hooks = {"choose": CHOOSING, "start": STARTING, "finish": FINISHING}
    hook, (expected, code) = next((hook, attacks[name]) for hook, attacks in hooks.items() if name in attacks)
    head = f"EXPECT = {expected!r}\nHOOK = {hook!r}\n{PREAMBLE}\n"
    return f"{head}\ndef attack(view):\n{indent(code, '    ')}\n"
