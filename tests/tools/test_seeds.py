"""Seeds depend on what they are for and on nothing else."""

import subprocess
import sys
from hashlib import blake2b

from hypothesis import given
from hypothesis import strategies as st

from league.tools.seeds import Seeds, drawn, seed_for, stretched

SEEDS = st.integers(0, 2**63 - 1)
PURPOSES = st.tuples(st.text("abcdefgh_-"), st.integers(0, 10**6), st.integers(0, 10**6), st.text("abcdefgh_-"))


def test_is_the_keyed_hash_that_it_always_was():
    key = (2026).to_bytes(16, "big")
    expected = blake2b(b"deal\x1fraj\x1f2\x1f17\x1f", digest_size=8, key=key).digest()
    assert seed_for(2026, "deal", "raj", 2, 17) == int.from_bytes(expected, "big")


def test_a_drawn_secret_is_never_the_same():
    assert len({drawn() for _ in range(100)}) == 100
    assert len(bytes.fromhex(drawn())) == 16


def test_a_seed_is_stretched_to_the_same_secret_for_ever():
    assert stretched(2026) == "1f92d0846470c70158394f60cb819266"
    assert stretched(0) != stretched(1)


def test_nobody_who_knows_a_seed_has_the_numbers_without_stretching():
    assert seed_for(stretched(7), "deal", 1) != seed_for(7, "deal", 1)
    key = bytes.fromhex(stretched(7))
    expected = blake2b(b"deal\x1f1\x1f", digest_size=8, key=key).digest()
    assert seed_for(stretched(7), "deal", 1) == int.from_bytes(expected, "big")


def test_is_the_same_in_every_process():
    code = "from league.tools.seeds import seed_for; print(seed_for(7, 'bot', 'raj', 2, 0, 1, 'ann'))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": salt}, capture_output=True, text=True, check=True
        ).stdout
        for salt in ("0", "1")
    }
    assert found == {f"{seed_for(7, 'bot', 'raj', 2, 0, 1, 'ann')}\n"}


@given(SEEDS, SEEDS, PURPOSES, PURPOSES)
def test_another_purpose_or_league_is_another_seed(one, other, purpose, another):
    assert (seed_for(one, *purpose) == seed_for(other, *another)) == ((one, purpose) == (other, another))


@given(SEEDS, st.integers(0, 10**6), st.integers(0, 10**6))
def test_numbers_do_not_run_together(seed, first, second):
    """Deal 1, seat 23 is not deal 12, seat 3."""
    digits = f"{first}{second}"
    other = (int(digits[:1]), int(digits[1:] or 0))
    assert (seed_for(seed, first, second) == seed_for(seed, *other)) == ((first, second) == other)


@given(SEEDS, PURPOSES)
def test_fits_into_64_bits(seed, purpose):
    assert 0 <= seed_for(seed, *purpose) < 2**64


@given(SEEDS, PURPOSES, st.integers(0, 4))
def test_purpose_may_be_given_in_two_parts(seed, purpose, cut):
    assert Seeds(seed, *purpose[:cut]).of(*purpose[cut:]) == seed_for(seed, *purpose)
