"""The canonical form of a value, of which ids are hashes. It is stable across versions of League.

The form is JSON without spaces:

- a struct is an object of its fields, without those that equal their default;
- plain data (dicts, lists, texts, numbers, truth values, None) is as in JSON, and a tuple is an array;
- the keys of all objects are sorted, and texts are in ASCII.

So a later version may add a field with a default, and every id stays what it was: results that were played without the
field are those of its default. For the same reason a default must not change and a field must not be renamed. What
decides results and is no field yet becomes one whose default is how it was before.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from hashlib import blake2b

import msgspec


def hashed(value: object) -> str:
    """The id of a value: a hash of its canonical form, in hexadecimal."""
    return blake2b(canonical(value).encode(), digest_size=16).hexdigest()


def canonical(value: object) -> str:
    """A value in its canonical form."""
    if type(value) is int:  # quicker than json
        return str(value)
    if type(value) is tuple:
        return f"[{','.join([_part(item) for item in value])}]"
    if isinstance(value, msgspec.Struct):
        stated = []
        for name, label, default in _fields(type(value)):
            field_value = getattr(value, name)
            if field_value != default:
                stated.append(label + _part(field_value))
        return f"{{{','.join(stated)}}}"
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _part(value: object) -> str:
    return _shared(value) if isinstance(value, msgspec.Struct) else canonical(value)


_shared = lru_cache(maxsize=4096)(canonical)
"""A league has many series, but their contests, limits and entrants are few."""


@cache
def _fields(kind: type[msgspec.Struct]) -> list[tuple[str, str, object]]:
    """The fields of a struct: name, the name as it is written, default (NODEFAULT, which equals no value, if none)."""
    fields = sorted(msgspec.structs.fields(kind), key=lambda field: field.name)
    return [(field.name, f"{json.dumps(field.name)}:", _default(field)) for field in fields]


def _default(field: msgspec.structs.FieldInfo) -> object:
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
