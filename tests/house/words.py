"""Reports words that this code does not use, since the field has another one (docs/vocabulary.md). Each is a pattern for
the sense that is meant: "look at the picture" is no query of a pair.

Usage: words.py TREE        Exit status 0: clean; 1: not; 77: git cannot list the files.
"""

import pathlib
import re
import sys

from tracked import tracked

# (pattern, what to write instead). Patterns are matched without regard to case, across line ends of a comment too.
WORDS = [
    (r"\b(pairs?|bodies|surfaces|triangles|vertices|they|it) (is|are|was|were|be) looked at", "queried, tested"),
    (r"\basks? for a look\b|\bsecond look\b|\blook[_ -]ahead\b|\blooked for ahead\b", "query, speculative contact"),
    (r"\bseen_pairs?\b|\bremembered contacts?\b|\bcontacts? (is|are) carried along\b", "contact cache, cached, extrapolated"),
    (r"\bcarriers?_?\b|\bcarried (vertices|contacts?)\b", "attached vertices, cage, cached contacts"),
    (r"\bcarried surface\b|\bskin that touches as\b|\bsurface that (the |coarse )?(vertices|tets|points|they) carry\b",
     "embedded surface, embedded contact surface"),
    (r"\bBodyAnswer\b|\bImpulseAnswer\b|\banswers? impulses\b|\banswers? of (a |the )?(soft )?bod(y|ies)\b",
     "compliance, response"),
    (r"\bouter[ _]loops?\b(?!\\n)|\bouter_turns\b", "compliance iteration"),
    (r"\bsteadiness\b|\bwitnesses\b|\bwitness points?\b", "persistence, surface samples"),
    (r"\b(closest_)?way_out\b|\bescape contacts?\b", "containment contact, exit"),
    (r"\bkeep_last_good\b|\btell_of_fast\b", "rollback, warn_fast_bodies"),
    (r"\bstruct (Brick|Crowd|Hull)\b|\bbricks\b", "OrientedBox, TileCounts, TileExtents"),
    (r"\bneed not be looked\b", "can be culled"),
    (r"\bhangs? together\b", "connected"),
    (r"\bcure: |\b(its|the|a|their|with) cure\b(?!s?[,;.)]? =)", "fix"),
    (r"\brooms? (of|to|in) the (code|left|right)\b|\bROOM\b|\bplush_room\b", "module"),
    (r"\bpoints against distances\b", "vertex-SDF contact"),
    (r"\bcontact by volume\b", "volume contact"),
    (r"(?<!\")\bmost_[a-z]\w*\b(?!\")|\b[a-z]+(?<!last)(?<!known)(?<!write)(?<!draw)(?<!same)(?<!add)_words\(\)",
     "max_..., ..._choices()"),
    (r"\bthe same of\b|\b(is|was|be|what you) said of\b", "a comment that can be read without the line above"),
]
SUFFIXES = {".cpp", ".hpp", ".md", ".py", ".pyi", ".ts", ".jsonc", ".cmake", ".txt", ".sh"}
# What tells of the past, of old names, or of these words themselves; keys of JSON stay.
EXEMPT = re.compile(r"CHANGELOG\.md|docs/notes/|docs/formats\.md|docs/vocabulary\.md|tests/house/(words|selftest)\.py|src/scene/renamed_keys\.hpp|"
                    r"tests/data/|tests/scenes/|tests/fuzz/corpus/|tests/geometry/io/|src/record/metrics\.cpp|src/app/peer_rows\.cpp|tests/scene/test_renamed_keys\.cpp")


def check_file(tree, name):
    text = pathlib.Path(tree, name).read_text(encoding="utf-8", errors="replace")
    problems = []
    for pattern, instead in WORDS:
        for match in re.finditer(pattern, text, re.IGNORECASE if "[A-Z]" not in pattern and "ROOM" not in pattern else 0):
            line = text.count("\n", 0, match.start()) + 1
            problems.append(f'{name}:{line}: "{match[0]}": write {instead}')
    return problems


def check(tree):
    return [problem for name in tracked(tree)
            if pathlib.PurePosixPath(name).suffix in SUFFIXES and not EXEMPT.match(name)
            for problem in check_file(tree, name)]


if __name__ == "__main__":
    found = check(sys.argv[1])
    print("\n".join(found) or "clean")
    sys.exit(1 if found else 0)
