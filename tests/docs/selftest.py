"""The checks of the pages can fail: each kind of snippet is broken once.

Usage: selftest.py PLUSH
"""

import pathlib
import sys
import tempfile
import unittest

import reference
import snippets

PLUSH = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        (self.tree / "docs/scenes").mkdir(parents=True)
        (self.tree / "scripts").mkdir()
        (self.tree / "scripts/full.sh").write_text("full_parts=(soak tidy)\n")
        (self.tree / "docs/scenes/bar.obj").write_bytes((ROOT / "docs/scenes/bar.obj").read_bytes())

    def expect(self, text, *words):
        (self.tree / "README.md").write_text(text)
        found = snippets.check(self.tree, PLUSH)
        self.assertEqual(len(found), len(words), found)
        for problem, word in zip(found, words):
            self.assertIn("README.md:", problem)
            self.assertIn(word, problem)

    def test_good(self):
        self.expect('Say `plush run bowl --steps 3` or:\n\n```sh\nplush mesh make bear -o bear.obj && plush check bear.obj\n'
                    './test --full soak\n```\n```jsonc\n{ "plush": 1, // one\n "bodies": [ { "ground": {} } ] }\n```\n'
                    '```jsonc\n"variants": { "ice": { "materials.x.friction": 0 } }\n```\n```python\nimport plush\n```\n')

    def test_option(self):
        self.expect("`plush run bowl --step 3`", "has no option --step")

    def test_option_in_a_block(self):
        self.expect("```\nplush mesh tet a.obj --cell 3\n```", "has no option --cell")

    def test_command(self):
        self.expect("`plush draw out/bowl`", "there is no command draw")

    def test_scene(self):
        self.expect("`plush run bowel`", "there is no scene bowel")

    def test_study_and_problem(self):
        self.expect("`plush study solver`, `plush study sliver`, `plush validate flap`, `plush bench fem bowl fen`",
                    "sliver", "flap", "fen")

    def test_part(self):
        self.expect("`./test --full soap`", "no part soap")

    def test_scene_of_a_page(self):
        self.expect('```jsonc\n{ "plush": 1, "bodies": [ { "grond": {} } ] }\n```', "grond")

    def test_part_of_a_scene(self):
        self.expect('```jsonc\n"bodies": [ { "rigid": { "sphere": { "radios": 1 } } } ]\n```', "radios")

    def test_no_json(self):
        self.expect('```jsonc\n{ "plush": 1, }\n```', "no JSON")

    def test_python(self):
        self.expect("```python\nworld.step(\n```", "never closed")

    def test_file_that_differs(self):
        (self.tree / "docs/scenes/a.json").write_text("{}\n")
        self.expect('<!-- file: a.json -->\n```jsonc\n{ "plush": 1 }\n```', "not the same")

    def test_links(self):
        self.expect("# A *b* c!\n[a](#a-b-c) [b](#a-b) [c](README.md#a-b-c)\n[d](gone.md)", "no heading #a-b", "no gone.md")

    def test_run(self):
        page = "<!-- file: a.txt -->\n```\nhallo\n```\n```sh\ngrep hallo a.txt\ngrep adieu a.txt\n```\n" \
               "<!-- not run: no reason -->\n```sh\nfalse\n```\n"
        (self.tree / "page.md").write_text(page)
        found = snippets.run_page(self.tree, "page.md", self.tree, None)
        self.assertEqual(len(found), 1, found)
        self.assertIn("page.md:7: grep adieu", found[0])

    def test_cpp(self):
        (self.tree / "README.md").write_text("```cpp\n#include <cmath>\nint main() {\n    f();\n}\n```\n"
                                             "<!-- with: int a = 1; -->\n```cpp\ng(a);\n```\n")
        source = snippets.cpp_source(self.tree)
        self.assertLess(source.index("#include <cmath>"), source.index('#line 2 "README.md"'))
        self.assertIn("int snippet_main() {\n    f();", source)
        self.assertIn('int a = 1;\n#line 9 "README.md"\ng(a);', source)


class Reference(unittest.TestCase):
    def test_warnings(self):
        found = reference.warnings("a.hpp:3: warning: Member x (variable) of struct A is not documented.\n"
                                   "a.hpp:2: warning: Compound A is not documented.\n"
                                   "a.hpp:9: warning: argument 'b' of command @param is not found\n")
        self.assertEqual(len(found), 2, found)


if __name__ == "__main__":
    PLUSH = sys.argv.pop(1)
    unittest.main()
