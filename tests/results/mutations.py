"""A league's database as a stranger may have changed it: values, bytes, tables, types."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from league.results.schema import FILE, TABLES

INTS = (-1, 0, 1, 2, 3, 7, 63, 64, 255, 10**4, 10**6, 10**9, 2**31, 2**32, 2**53, 2**62, -(2**62), 2**63 - 1, -(2**63))
FLOATS = (0.0, -1.0, 1e-300, 1e300, float("inf"), float("-inf"), float("nan"), 1e11, 1e16)
TEXTS = (
    *(
        "",
        "x",
        "\x1b[31mred",
        "=cmd|' /C calc'!A1",
        "../../../pwned",
        "a/../../../../pwn",
        "//tmp/pwned",
        "/etc/passwd",
    ),
    *("\0", "a\nb", "é" * 70, "x" * 5000, "./evil.py", "raj", "null", "[]", "{}", '{"a": 1}', "[" * 5000, "9" * 5000),
    *("openspiel:hex(board_size=100000)", "-1", "nan", "1e999", "trusted", "\ufffe"),
)
BOMB = zlib.compress(bytes(50_000_000), 9)


def mutate(folder: Path, rng: Random) -> str:
    """Change something in a database; returns what, for a message."""
    if rng.random() < 0.1:
        return _damage(folder / FILE, rng)
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        if rng.random() < 0.1:
            db.execute("PRAGMA writable_schema = ON")
            db.execute("UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '')")
            db.execute("PRAGMA writable_schema = RESET")
        table = rng.choice(list(TABLES))
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        rows = [row[0] for row in db.execute(f"SELECT rowid FROM {table}")]
        if not rows:
            return f"{table}: nothing"
        row, column = rng.choice(rows), rng.choice(columns)
        value = db.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchone()[0]
        if rng.random() < 0.05:
            db.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
            return f"{table}: row {row} deleted"
        try:
            changed = other_value(value, rng)
            db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, row))
        except (sqlite3.Error, OverflowError, UnicodeEncodeError) as problem:
            return f"{table}.{column}: refused by SQLite ({problem})"
        if rng.random() < 0.1:  # back again, so that the tables seem to be ours
            db.execute("PRAGMA writable_schema = ON")
            db.executemany(
                "UPDATE sqlite_schema SET sql = sql || ' STRICT' WHERE name = ? AND sql NOT LIKE '%STRICT'",
                [(name,) for name in TABLES],
            )
            db.execute("PRAGMA writable_schema = RESET")
        return f"{table}.{column} of row {row}: {value!r:.300} became {changed!r:.300}"


def _damage(path: Path, rng: Random) -> str:
    """Flip, cut or overwrite bytes of a file."""
    content = bytearray(path.read_bytes())
    at = rng.randrange(len(content)) if rng.random() < 0.7 else rng.randrange(100)
    kind = rng.choice(("flip", "cut", "zeros"))
    if kind == "flip":
        content[at] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del content[at:]
    else:
        content[at : at + rng.randrange(1, 5000)] = bytes(100)
    path.write_bytes(content)
    return f"{kind} at byte {at}"


def other_value(value: object, rng: Random) -> Any:
    """A value in the place of another."""
    if rng.random() < 0.1:
        return rng.choice((None, *INTS, *FLOATS, *TEXTS, b"", b"\0", BOMB, bytes(100_000)))
    if isinstance(value, bytes):
        return _other_bytes(value, rng)
    if isinstance(value, str):
        return _other_text(value, rng)
    return rng.choice(INTS if isinstance(value, int) else FLOATS)


def _other_bytes(value: bytes, rng: Random) -> bytes:
    for unpack, pack in _CODECS:
        try:
            decoded = msgspec.msgpack.decode(unpack(value))
        except (msgspec.DecodeError, zlib.error):
            continue
        if rng.random() < 0.8:
            return pack(msgspec.msgpack.encode(other_part(decoded, rng)))
    changed = bytearray(value or b"x")
    at = rng.randrange(len(changed))
    kind = rng.choice(("flip", "cut", "bomb", "long"))
    if kind == "flip":
        changed[at] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del changed[at:]
    else:
        return BOMB if kind == "bomb" else bytes(changed) * 100
    return bytes(changed)


_CODECS: tuple[tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]], ...] = (
    (lambda packed: packed, lambda plain: plain),
    (zlib.decompress, zlib.compress),
    (lambda packed: zlib.decompress(packed[1:]), lambda plain: b"\x01" + zlib.compress(plain)),
)


def _other_text(value: str, rng: Random) -> str:
    try:
        decoded = msgspec.json.decode(value)
    except msgspec.DecodeError:
        decoded = None
    if isinstance(decoded, dict | list) and rng.random() < 0.8:
        return msgspec.json.encode(other_part(decoded, rng)).decode()
    if value and rng.random() < 0.3:
        at = rng.randrange(len(value))
        return value[:at] + rng.choice("\0\x1b/.,:\"'{}[]-9") + value[at + rng.randrange(2) :]
    return rng.choice(TEXTS)


def other_part(value: Any, rng: Random) -> Any:
    """A value with one of its parts changed, taken away or doubled."""
    if isinstance(value, dict) and value and rng.random() < 0.95:
        key = rng.choice(list(value))
        if rng.random() < 0.1:
            return {name: item for name, item in value.items() if name != key}
        return value | {key: other_part(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        kind = rng.random()
        if kind < 0.1:
            return value[:at] + value[at + 1 :]
        if kind < 0.2:
            return [*value, value[at]]
        return [*value[:at], other_part(value[at], rng), *value[at + 1 :]]
    others: tuple[Any, ...] = (None, True, [], {}, *INTS, *FLOATS[:4], *TEXTS)
    if isinstance(value, bytes):
        return rng.choice((b"", value[: len(value) // 2], value + b"\0", *others))
    if rng.random() < 0.3:
        return rng.choice(others)
    return rng.choice(TEXTS if isinstance(value, str) else INTS)
