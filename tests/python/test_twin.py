"""A Python script and its C++ twin give the same bits."""

import os
import subprocess

import pytest
import twin


def test_a_script_and_its_twin_have_the_same_hash():
    program = os.environ.get("PLUSH_TWIN")
    if not program:
        pytest.skip("PLUSH_TWIN names the program")
    answer = subprocess.run([program], capture_output=True, text=True, check=True).stdout.strip()
    assert f"{twin.run().state_hash:016x}" == answer
