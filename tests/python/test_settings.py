"""Keyword arguments come from the one description of settings: defaults, ranges and words of errors are the scene reader's."""

import inspect
import pickle

import pytest

import plush

classes = [c for _, c in inspect.getmembers(plush, inspect.isclass) if issubclass(c, plush.Settings) and c._kind]


@pytest.mark.parametrize("settings", classes, ids=lambda c: c.__name__)
def test_every_argument_has_a_line_and_a_default(settings):
    for key in settings._fields:
        assert f"    {key}" in settings.__doc__
    assert set(settings.__signature__.parameters) >= set(settings._extras)


def test_a_slip_gets_a_suggestion():
    with pytest.raises(plush.Error) as told:
        plush.Soft(yuong=5e4)
    assert told.value.place == "Soft.yuong"
    assert told.value.problem == 'unknown key "yuong"'
    assert told.value.fix == 'did you mean "young"?'
    assert told.value.file == ""
    with pytest.raises(plush.Error, match="did you mean \"mesh\""):
        plush.Soft(mehs=1)


def same_words(settings, scene, key):
    """The error of an argument and that of the scene file say the same."""
    with pytest.raises(plush.Error) as python:
        settings()
    with pytest.raises(plush.Error) as file:
        plush.Scene({"plush": 1, "bodies": [scene]})
    assert python.value.problem == file.value.problem
    assert python.value.fix == file.value.fix
    assert python.value.place.endswith("." + key) and file.value.place.endswith("." + key)


def test_ranges_are_told_in_the_words_of_the_scene_reader():
    ball = {"ball": {"radius": 1}}
    same_words(lambda: plush.Soft(young=-1), {"soft": {**ball, "young": -1}}, "young")
    same_words(lambda: plush.Soft(poisson=0.5), {"soft": {**ball, "poisson": 0.5}}, "poisson")
    same_words(lambda: plush.Soft(model="rubber"), {"soft": {**ball, "model": "rubber"}}, "model")
    same_words(lambda: plush.Rope(segments=1.5), {"rope": {"segments": 1.5}}, "segments")
    same_words(lambda: plush.Rigid(density=2, mass=3), {"rigid": {"sphere": {"radius": 1}, "density": 2, "mass": 3}}, "mass")
    same_words(lambda: plush.Rope(constraints={"iterations": 0}), {"rope": {"constraints": {"iterations": 0}}}, "iterations")


@pytest.mark.parametrize("wrong", ["1", None.__class__, [1], True])
def test_a_wrong_type_is_refused(wrong):
    with pytest.raises(plush.Error, match="this must be a number"):
        plush.Rigid(density=wrong)


def test_settings_read_back_compare_and_change():
    soft = plush.Soft(young=5e4, regions=[plush.ElasticRegion(low=(0, 0, 0), high=(1, 1, 1), young=1e6)])
    assert soft.young == 5e4 and soft.poisson == 0.4 and soft.name is None
    stiffer = soft.replace(young=1e5)
    assert stiffer.young == 1e5 and stiffer.regions == soft.regions and stiffer != soft
    assert pickle.loads(pickle.dumps(soft)) == soft
    assert "young=50000.0" in repr(soft)
    assert plush.Rope(from_=(1, 2, 3)).from_ == (1, 2, 3)
    assert plush.ElasticMaterial(yield_=0.1).yield_ == 0.1


def test_nested_settings_are_objects_or_dicts(world):
    for contact in (plush.ContactSettings(points=4), {"points": 4}):
        assert plush.World(contact=contact).settings["contact"]["points"] == 4
    with pytest.raises(plush.Error, match="contact.pionts"):
        plush.World(contact={"pionts": 4})
