"""Bodies of requests: all of one arrives within its size and its time, or one clear line says why not."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

UPLOAD_SECONDS = 60.0
"""For the whole body of a request to arrive."""
MOST_FORM = 2_000_000
"""Bytes of a form."""
MOST_IN_FLIGHT = 256 << 20
"""Bytes of all bodies that are arriving at this moment."""
MOST_FILENAME = 200


class Bodies:
    """Reads what is sent to one arena."""

    def __init__(self) -> None:
        self._in_flight = 0

    async def read(self, request: Request, most: int) -> bytes:
        """The whole body, within its size and its time."""
        parts, size = [], 0
        try:
            async with asyncio.timeout(UPLOAD_SECONDS):
                async for part in request.stream():
                    size += len(part)
                    self._in_flight += len(part)
                    if size > most:
                        raise HTTPException(
                            413, f"Expected at most {most >> 20 or 1} MB, found more. Nothing was handed in."
                        )
                    if self._in_flight > MOST_IN_FLIGHT:
                        headers = {"Retry-After": "10"}
                        raise HTTPException(503, "Many hand-ins arrive at this moment. Try again in 10 s.", headers)
                    parts.append(part)
        except TimeoutError:
            limit = f"Expected the whole file within {UPLOAD_SECONDS:.0f} s. Nothing was handed in; try again."
            raise HTTPException(408, limit) from None
        except ClientDisconnect:
            raise HTTPException(400, "The connection was closed before the whole file had arrived.") from None
        finally:
            self._in_flight -= size
        return b"".join(parts)

    async def form(self, request: Request) -> dict[str, str]:
        """The fields of a form."""
        body = await self.read(request, MOST_FORM)
        try:
            fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=20)
        except (UnicodeDecodeError, ValueError):
            raise HTTPException(400, "Expected a form of this page.") from None
        return {key: values[-1] for key, values in fields.items()}


def plain_name(filename: str) -> str:
    """The name of a file without folders and strange characters: only its ending matters."""
    name = filename.replace("\\", "/").rpartition("/")[2]
    kept = "".join(char for char in name if char.isalnum() or char in "._-")[-MOST_FILENAME:].lstrip(".")
    return kept or "bot.py"
