"""Processes of their own that start in milliseconds: forked from one that has loaded the packages already."""

from __future__ import annotations

from multiprocessing import get_context

SERVER = get_context("forkserver")
"""Makes processes that share nothing with the tests; their environment is to be given to them."""
SERVER.set_forkserver_preload(["tests.faults.children_preload"])
