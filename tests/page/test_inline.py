"""Nothing that a stranger wrote breaks out of where it is put."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256

import pytest

from league.page.inline import content_policy, inline_json, render_template

NASTY = "</script><script>alert(1)</script><!-- & ' \" \\ \u2028\u2029\x00\x1b[31m ]]> \U0001f600"


def test_json_passes_everything_on_and_holds_nothing_that_html_would_obey():
    written = str(inline_json({NASTY: [NASTY]}))
    assert json.loads(written) == {NASTY: [NASTY]}
    assert not {"<", ">", "&", "\u2028", "\u2029", "\x00"} & {*written}


@pytest.mark.parametrize("script", ["a('</script>')", "a('</SCRIPT >')", "a('<!--')"])
def test_a_script_that_would_end_its_tag_is_refused(script):
    with pytest.raises(ValueError, match="end its tag"):
        render_template("viewer.html.j2", [script])


def test_only_scripts_known_by_their_hash_may_run():
    policy = content_policy(["let a = 1;"])
    digest = b64encode(sha256(b"let a = 1;").digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert "unsafe-eval" not in policy
    assert "default-src 'none'" in policy
    assert "'unsafe-inline'" not in policy.partition("style-src")[0]
