"""When to stop asking whether A is better than B: a test that may be looked at after every block.

    test = SequentialTest(alpha=0.05, beta=0.05, smallest=0.02)
    while test.verdict is None:
        test.add(score_of_a_on_the_next_deal)

Every deal is a bet at fair odds against the claim under test. A gambler who believes it to be false stakes a part of
their money on each deal; if it is true, no way of betting makes money in the long run, and the probability of ever
reaching 20 times the start is at most 1 in 20 (Ville's inequality). So whenever the money has got there, it is refuted,
however often one has looked. Several gamblers bet larger and smaller parts, and their mean counts.

The money depends on how often each score came up, not on their order, so a test is resumed by counting again.
Scores are between 0 and 1 and need not follow any distribution; deals must be independent, which they are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

Verdict = Literal["a", "b", "even"]

EVEN = 0.5
_STAKES = 0.95 * 0.6 ** np.arange(12)
"""The parts of their money that the gamblers put at risk; the last ones suit differences of a thousandth."""
STEPS = 1_000_000
"""The precision of bounds, as one part in N, rounded to the safe side."""


class SequentialTest:
    """Collects scores between 0 and 1 until A or B is significantly better, or the difference is too small to matter.

    Above one half A is ahead: where both meet, the score is A's, and elsewhere (1 + A's score - B's score) / 2. If they
    are equal, it says otherwise with a probability of at most `alpha`. If the mean differs from one half by `smallest`
    or more, it says that they are even with a probability of at most `beta`.
    """

    def __init__(self, alpha: float = 0.05, beta: float = 0.05, smallest: float = 0.02) -> None:
        self.alpha = alpha
        self.beta = beta
        self.smallest = smallest
        self.largest_lead = 1.0
        """The lead that a score of 1 stands for, and minus that a score of 0: in place scores 1, and in points more."""
        self.scores: Counter[float] = Counter()
        """How often each score came up."""

    def __repr__(self) -> str:
        return f"<SequentialTest: {self.deals} deals, mean score {self.mean:.3f}, verdict {self.verdict}>"

    def add(self, score: float, deals: int = 1) -> None:
        """Count deals that scored this much for A: the mean over all rotations, 1 if it won them all."""
        self.scores[score] += deals

    @property
    def deals(self) -> int:
        """How many were counted."""
        return self.scores.total()

    @property
    def mean(self) -> float:
        """The mean score of A; one half before the first deal."""
        return sum(score * deals for score, deals in self.scores.items()) / self.deals if self.deals else EVEN

    def lead(self, score: float) -> float:
        """The lead of A over B that a score stands for."""
        return (2 * score - 1) * self.largest_lead

    def add_lead(self, lead: float) -> None:
        """Count a deal on which A was ahead by this much; larger leads than the largest one are cut."""
        self.add((1 + min(max(lead / self.largest_lead, -1.0), 1.0)) / 2)

    @property
    def verdict(self) -> Verdict | None:
        """'a' or 'b' for the better one, 'even' if the difference is below `smallest`, None if not settled."""
        if self._above(EVEN) >= np.log(2 / self.alpha):
            return "a"
        if self._below(EVEN) >= np.log(2 / self.alpha):
            return "b"
        refuted = np.log(1 / self.beta)
        if self._below(EVEN + self.smallest) >= refuted and self._above(EVEN - self.smallest) >= refuted:
            return "even"
        return None

    def interval(self) -> tuple[float, float]:
        """Bounds of A's true score that hold, with probability 1 - alpha, at all times at once."""
        limit = np.log(2 / self.alpha)
        # The evidence for "above" falls with the bound and that for "below" rises, so both ends are found by halving.
        grid = range(1, STEPS)
        low = bisect_left(grid, True, key=lambda step: self._above(step / STEPS) < limit)
        high = bisect_left(grid, True, key=lambda step: self._below(step / STEPS) >= limit)
        return low / STEPS, min(high + 1, STEPS) / STEPS

    def _above(self, true: float) -> float:
        """The logarithm of the evidence that A's true score is above this."""
        return _log_money(self.scores, true, _STAKES / true)

    def _below(self, true: float) -> float:
        """The logarithm of the evidence that A's true score is below this."""
        return _log_money(self.scores, true, -_STAKES / (1 - true))


def _log_money(scores: Mapping[float, int], true: float, bets: NDArray[np.floating]) -> float:
    """What the gamblers have on average, who bet on scores above `true`, or below it if the bets are negative."""
    logs = np.zeros(len(bets))
    for score in sorted(scores):
        logs += scores[score] * np.log1p(bets * (score - true))
    return float(logsumexp(logs) - np.log(len(bets)))
