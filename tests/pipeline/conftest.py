from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    """Nothing here pulls the plug: that the disk is waited for is tested with the files themselves."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
