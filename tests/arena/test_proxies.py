"""The web servers of docs/arena.md in front of an arena, with the lines that are written there."""

import http.client
import os
import re
import shutil
import ssl
import subprocess
from base64 import b64encode
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

from tests.arena.conftest import HIGHEST, ROOT
from tests.arena.serving import free_port, serving, until
from tests.arena.test_deployment import PUBLIC, Browsed, browsed, certificate  # noqa: F401 - a fixture
from tests.docs import BLOCK

pytestmark = pytest.mark.slow
LARGE = 20 << 20
SIGN_ON = "X-Remote-User"
PASSWORD = {"Authorization": f"Basic {b64encode(b'amy:secret').decode()}"}


def documented(word: str, *, sign_on: bool = False) -> str:
    """The block of the documentation that has a word in it, with the lines for sign-on or without them."""
    page = (ROOT / "docs" / "arena.md").read_text()
    blocks = [block["body"] for block in BLOCK.finditer(page) if word in block["body"]]
    [block] = [body for body in blocks if (SIGN_ON in body) == sign_on]
    return block


class Place(NamedTuple):
    """Where a proxy listens, and what it needs."""

    folder: Path
    port: int
    upstream: int
    cert: Path
    key: Path


def nginx(place: Place, sign_on: bool) -> list[str]:
    text = documented("listen 443 ssl").replace("listen 443", f"listen 127.0.0.1:{place.port}")
    if sign_on:
        (place.folder / "passwords").write_text("amy:{PLAIN}secret\n")
        lines = f"auth_basic arena;\nauth_basic_user_file {place.folder}/passwords;\n"
        lines += documented("proxy_set_header", sign_on=True)
        text = text.replace("proxy_http_version 1.1;", f"proxy_http_version 1.1;\n{lines}")
    text = text.replace("/etc/ssl/arena.pem", str(place.cert)).replace("/etc/ssl/arena.key", str(place.key))
    text = text.replace(PUBLIC, "127.0.0.1").replace("8643", str(place.upstream))
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "\n".join(f"{kind}_temp_path {place.folder}/{kind};" for kind in kinds)
    user = "user root;" if os.getuid() == 0 else ""
    own = f"{user}\npid {place.folder}/pid;\nerror_log {place.folder}/error.log;\ndaemon off;\nevents {{}}\n"
    config = place.folder / "nginx.conf"
    config.write_text(f"{own}http {{\naccess_log off;\n{paths}\n{text}}}\n")
    return ["-e", str(place.folder / "error.log"), "-p", str(place.folder), "-c", str(config)]


def caddy(place: Place, sign_on: bool) -> list[str]:
    text = documented("reverse_proxy", sign_on=sign_on)
    lines = f"tls {place.cert} {place.key}\n"
    if sign_on:
        program = shutil.which("caddy") or ""
        words = [program, "hash-password", "--plaintext", "secret"]
        hashed = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
        lines += f"basicauth {{\namy {hashed}\n}}\n"
    text = text.replace(f"{PUBLIC} {{", f"https://127.0.0.1:{place.port} {{\n{lines}")
    config = place.folder / "Caddyfile"
    own = f"{{\nadmin off\nauto_https disable_redirects\nstorage file_system {place.folder}\n}}\n"
    config.write_text(own + text.replace("8643", str(place.upstream)))
    return ["run", "--adapter", "caddyfile", "--config", str(config)]


def found(name: str) -> str:
    """Where a proxy is. Asked before an arena is served, since a skipped test ends it while it starts."""
    program = shutil.which(name) or shutil.which(f"/usr/sbin/{name}")
    if program is None:
        pytest.skip(f"there is no {name}")
    return program


@contextmanager
def in_front(name: str, place: Place, *, sign_on: bool = False):
    """A proxy that listens; returns what sends requests to it."""
    program = found(name)
    words = {"nginx": nginx, "caddy": caddy}[name](place, sign_on)
    home = {"HOME": str(place.folder), "XDG_DATA_HOME": str(place.folder), "XDG_CONFIG_HOME": str(place.folder)}
    log = (place.folder / "log").open("wb")
    running = subprocess.Popen([program, *words], env={**os.environ, **home}, stdout=log, stderr=log)
    context = ssl.create_default_context(cafile=place.cert)

    def connection() -> http.client.HTTPConnection:
        return http.client.HTTPSConnection("127.0.0.1", place.port, context=context, timeout=60)

    def browse(method: str, path: str, body: str = "", **headers: str) -> Browsed:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return browsed(connection(), method, path, body, fields)

    try:
        yield browse
    finally:
        running.terminate()
        running.wait(60)
        log.close()


@pytest.fixture
def place(tmp_path, certificate) -> Place:  # noqa: F811 - the fixture
    (tmp_path / "proxy").mkdir()
    return Place(tmp_path / "proxy", free_port(), 0, *certificate)


@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_the_documented_lines_serve_pages_and_large_files(name, arena, authors, place):
    found(name)
    code = arena.renew(authors[0], "test")
    url = f"https://127.0.0.1:{place.port}"
    with (
        serving(arena.folder, "--url", url) as served,
        in_front(name, place._replace(upstream=served.port)) as browse,
    ):
        until(lambda: browse("GET", "/enter").status == 200)
        page = browse("GET", "/enter").text
        links = re.findall(r'(?:href|src|action)="(/[^"]*)"', page)
        assert links
        assert all(browse("GET", link).status == 200 for link in links)
        form = urlencode({"code": code})
        assert browse("POST", "/enter", form, Origin="https://evil.example").status == 403
        entered = browse("POST", "/enter", form, Origin=url)
        assert (entered.status, entered.headers["location"]) == (303, "/")
        cookie = entered.headers["set-cookie"].partition(";")[0]
        assert "Secure" in entered.headers["set-cookie"]
        own = {"Cookie": cookie, "Origin": url}
        assert browse("POST", "/people/me/versions?filename=bot.py", HIGHEST.decode(), **own).status == 201
        large = HIGHEST.decode() + "#" * LARGE
        assert browse("POST", "/people/me/versions?filename=bot.py", large, **own).status == 201
        until(lambda: browse("GET", "/standings/", Cookie=cookie).status == 200)
        policy = browse("GET", "/standings/", Cookie=cookie).headers["content-security-policy"]
        assert f"connect-src {url}/standings/" in policy


@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_the_documented_lines_for_sign_on_let_nobody_claim_to_be_somebody_else(name, arena, authors, place):
    found(name)
    options = ("--url", f"https://127.0.0.1:{place.port}", "--sign-on", SIGN_ON, "127.0.0.1")
    with (
        serving(arena.folder, *options) as served,
        in_front(name, place._replace(upstream=served.port), sign_on=True) as browse,
    ):
        until(lambda: browse("GET", "/enter", **PASSWORD).status == 200)
        assert '"alias":"amy"' in browse("GET", "/people/me", **PASSWORD).text
        assert '"alias":"amy"' in browse("GET", "/people/me", **PASSWORD, X_Remote_User="bob").text
        assert browse("GET", "/people/me", X_Remote_User="bob").status == 401
