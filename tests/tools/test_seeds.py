"""Seeds depend on what they are for and on nothing else."""

import subprocess
import sys
from hashlib import blake2b

from hypothesis import given
from hypothesis import strategies as st

from league.tools.seeds import Seeds, seed_for

SEEDS = st.integers(0, 2**63 - 1)
PURPOSES = st.tuples(st.text("abcdefgh_-"), st.integers(0, 10**6), st.integers(0, 10**6), st.text("abcdefgh_-"))


def test_is_the_keyed_hash_that_it_always_was():
    key = (2026).to_bytes(16, "big")
    expected = blake2b(b"deal\x1fraj\x1f2\x1f17\x1f", digest_size=8, key=key).digest()
    assert seed_for(2026, "deal", "raj", 2, 17) == int.from_bytes(expected, "big")


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
def test_a_purpose_may_be_told_in_two_parts(seed, purpose, cut):
    assert Seeds(seed, *purpose[:cut]).of(*purpose[cut:]) == seed_for(seed, *purpose)
