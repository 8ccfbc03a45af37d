"""Ratings as a small picture that needs no script: a dot for each bot, and a line for its interval."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from league.results.columns import Line
from league.tools.text import counted

MOST_ROWS = 40
ROW, LEFT, WIDTH, MARGIN = 22, 190, 420, 16
LONGEST_NAME = 26


def rating_chart(lines: Sequence[Line]) -> str:
    """The ratings of bots with their 95 % intervals as SVG, the best first; bots without games are left out."""
    played = [line for line in lines if line.games]
    shown = played[:MOST_ROWS]
    if not shown:
        return "<p>No games yet.</p>"
    low, high = min(line.low for line in shown), max(line.high for line in shown)
    scale = WIDTH / ((high - low) or 1.0)
    parts = []
    for at, line in enumerate(shown):
        y = at * ROW + ROW / 2
        x, start, end = (LEFT + (value - low) * scale for value in (line.rating, line.low, line.high))
        name = line.bot if len(line.bot) <= LONGEST_NAME else line.bot[: LONGEST_NAME - 1] + "…"
        about = f"{line.bot}: {line.rating:.2f} ({line.low:.2f} … {line.high:.2f}), {counted(line.games, 'game')}"
        parts.append(
            f"<g><title>{escape(about)}</title>"
            f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end" fill="currentColor">{escape(name)}</text>'
            f'<line x1="{start:.1f}" x2="{end:.1f}" y1="{y}" y2="{y}" stroke="#4c78a8" stroke-width="3"/>'
            f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="#4c78a8"/></g>'
        )
    height = len(shown) * ROW + ROW
    for value, anchor in ((low, "start"), (high, "end")):
        place = f'x="{LEFT + (value - low) * scale:.1f}" y="{height - 4}" text-anchor="{anchor}"'
        parts.append(f'<text {place} fill="currentColor">{value:.2f}</text>')
    more = f"<p>… and {counted(len(played) - MOST_ROWS, 'bot')} more.</p>" if len(played) > MOST_ROWS else ""
    size = f'width="{LEFT + WIDTH + MARGIN}" height="{height}"'
    tag = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
    return f"{tag}{''.join(parts)}</svg>{more}"
