# SPDX-License-Identifier: GPL-2.0-or-later
"""How tests wait: for a state, never for a time.

A machine may be as slow as it likes, and other work may take most of it.  The limit ends a test that hangs; none may
fail for coming near it.
"""
import os
import time

LIMIT_S = float(os.environ.get("FTOP_TEST_LIMIT", "600"))


def until(found, what, interval_s=0.02):
    """Looks again and again until found() returns something true, and returns that.  what: the failure's text, or a
    function that returns it."""
    end = time.monotonic() + LIMIT_S
    while not (result := found()):
        assert time.monotonic() < end, what() if callable(what) else what
        time.sleep(interval_s)
    return result
