"""The live page of a world, and Ctrl-C: a page without a browser asks, the world goes on stepping from Python."""

import http.client
import json
import os
import signal
import threading
import time
from urllib.parse import urlparse

import pytest

import plush

pytestmark = pytest.mark.skipif(not hasattr(plush._plush, "View"), reason="this build has no viewer")


@pytest.fixture(autouse=True)
def interrupts():
    """Ctrl-C is heard: in a job in the background a shell has it ignored, and Python leaves it so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Page:
    """What the page in a browser does, with the secret of its address."""

    def __init__(self, address):
        url = urlparse(address)
        self._host = url.netloc
        self._head = {"Plush-Token": url.fragment, "Plush-Page": "00000000000000aa"}
        self._stream = http.client.HTTPConnection(self._host, timeout=300)
        self._stream.request("GET", "/api/stream", headers=self._head)
        self.stream = self._stream.getresponse()
        assert self.stream.status == 200

    def _ask(self, method, path, body=None, **more):
        line = http.client.HTTPConnection(self._host, timeout=300)
        line.request(method, path, body, {**self._head, **more})
        return json.loads(line.getresponse().read())

    def do(self, **command):
        answer = self._ask("POST", "/api/command", json.dumps({"commands": [command]}),
                           **{"Content-Type": "application/json", "Origin": f"http://{self._host}"})
        return answer["results"][0]

    def steps(self):
        return self._ask("GET", "/api/state")["worlds"][0]["step"]


@pytest.fixture
def later():
    """Runs a function in a thread, and raises here what it raised there."""
    threads, problems = [], []

    def start(function):
        def guarded():
            try:
                function()
            except BaseException as problem:
                problems.append(problem)
                os.kill(os.getpid(), signal.SIGINT)

        threads.append(threading.Thread(target=guarded))
        threads[-1].start()

    yield start
    for thread in threads:
        thread.join()
    assert not problems


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def ball(world):
    return world.add(plush.Rigid(shape=plush.Shape.sphere(0.1), name="ball"), position=(0, 1, 0))


def test_view_steps_from_python_until_ctrl_c(world, ball, later):
    calls, results = [], []
    world.on_step(lambda w: calls.append(w.time))
    world.add_custom_force(lambda w: ball.apply_force((0.01, 0, 0)))

    def act(address):
        page = Page(address)
        assert page.do(do="speed", value=0)["ok"] and page.do(do="play")["ok"]
        while page.steps() < 20:
            time.sleep(0.01)  # a page may ask 300 times a second
        results.append(page.do(do="set_gravity", value=[0, -1, 0]))
        results.append(page.do(do="pause"))
        interrupt()  # while nothing is to be done: it is answered all the same

    world.view(ready=lambda address: later(lambda: act(address)))
    assert all(r["ok"] for r in results) and len(results) == 2
    assert world.steps >= 20 and len(calls) == world.steps
    assert world.settings["gravity"][1] == -1 and ball.velocity[0] > 0
    world.step()  # the world is the user's again


def test_a_view_in_a_loop_of_ones_own(world, ball, later):
    with plush.View(world, name="mine") as view:
        assert view.address.startswith("http://127.0.0.1:") and len(view.address.split("#")[1]) == 32
        page = Page(view.address)
        later(lambda: (page.do(do="step", count=3), page.do(do="step", count=4), view.stop()))
        own = 0
        while view.update():
            world.step()
            own += 1
        assert own == world.steps >= 7
        with pytest.raises(plush.Error, match="the port is in use"):
            plush.View(world, port=urlparse(view.address).port)
        while page.stream.read(65536):  # ends with the view
            view.close()
    with pytest.raises(plush.Error, match="it was closed"):
        view.update()


def test_what_a_function_raises_ends_the_view(world, ball):
    world.on_step(lambda w: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        world.view(ready=lambda address: None)
    with pytest.raises(plush.Error, match="out of range"):
        world.view(port=70000)


# Seconds. What is interrupted below would go on for hours; this leaves room for machines with much else to do.
SOON = 60


def seconds_to_answer(call):
    """From Ctrl-C to KeyboardInterrupt."""
    sent = []
    timer = threading.Timer(0.3, lambda: (sent.append(time.monotonic()), interrupt()))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    timer.join()
    return time.monotonic() - sent[0]


def test_ctrl_c_is_answered(world, solid, tmp_path):
    world.add(plush.Soft(solid=solid, young=5e4), position=(0, 0.3, 0))
    assert seconds_to_answer(lambda: world.run(1e7)) < SOON  # measured: 0.001

    def steps():
        while True:
            world.step()

    assert seconds_to_answer(steps) < SOON
    before = world.state_hash
    world.step()  # at its last good state, and goes on
    assert world.state_hash != before
    scene = plush.Scene({"plush": 1, "duration": 1e7, "bodies": [
        {"ground": {}}, {"rigid": {"sphere": {"radius": 0.1}}, "at": [0, 1, 0]}]})
    assert seconds_to_answer(lambda: scene.run(tmp_path / "run", threads=1)) < SOON  # measured: 0.01
    assert plush.open_run(tmp_path / "run").summary["can_go_on"]
    assert seconds_to_answer(lambda: plush.resume(tmp_path / "run")) < SOON


def test_what_progress_raises_comes_out_of_a_run(tmp_path):
    scene = plush.Scene({"plush": 1, "duration": 1, "bodies": [{"ground": {}}]})

    def progress(step, steps, seconds, wall, contacts):
        assert steps == 60
        if step == 5:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        scene.run(tmp_path / "run", progress=progress)
    assert len(plush.resume(tmp_path / "run").metrics["step"]) == 60


def test_a_run_is_a_film_in_a_notebook(world, ball, tmp_path):
    run = world.run(0.1, out=tmp_path / "run")
    page = run._repr_html_()
    assert page.startswith("<video ") and "data:video/mp4;base64," in page and len(page) > 2000
