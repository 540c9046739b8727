"""The checks of the house can fail: each rule is broken once in a small tree of its own."""

import pathlib
import subprocess
import tempfile
import unittest

import arrows
import format as formatting
import text


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def track(self):
        subprocess.run(["git", "init", "-q", str(self.tree)], check=True)
        subprocess.run(["git", "-C", str(self.tree), "add", "-A"], check=True)


class Arrows(Tree):
    def setUp(self):
        super().setUp()
        self.write("include/plush/core/error.hpp", "#include <string>\n")
        self.write("include/plush/world/world.hpp", '#include "plush/core/error.hpp"\n')
        self.write("include/plush/plush.hpp", '#include "plush/world/world.hpp"\n')
        self.write("src/core/assert.hpp", "#pragma once\n")
        self.write("src/world/world.cpp", '#include "plush/world/world.hpp"\n\n#include "core/assert.hpp"\n')
        self.write("src/app/main.cpp", "#include <plush/plush.hpp>\n#include <CLI/CLI.hpp>\n")
        self.write("tests/support/near.hpp", "#pragma once\n")
        self.write("tests/world/test_world.cpp", '#include <gtest/gtest.h>\n#include "support/near.hpp"\n'
                                                 '#include <nlohmann/json.hpp>\n')

    def expect(self, name, include, words):
        self.assertEqual(arrows.check(self.tree), [])
        self.write(name, f"#include {include}\n")
        found = arrows.check(self.tree)
        self.assertEqual(len(found), 1, found)
        self.assertIn(name + ":1:", found[0])
        self.assertIn(words, found[0])

    def test_private_header_to_the_right(self):
        self.write("src/world/islands.hpp", "")
        self.expect("src/core/x.cpp", '"world/islands.hpp"', "wrong arrow")

    def test_public_header_to_the_right(self):
        self.expect("src/core/x.cpp", '"plush/world/world.hpp"', "wrong arrow")

    def test_wrong_arrow_in_angle_brackets_and_among_blanks(self):
        self.expect("include/plush/core/x.hpp", " <plush/world/world.hpp>", "wrong arrow")

    def test_wrong_arrow_in_a_test(self):
        self.expect("tests/core/test_x.cpp", '"plush/world/world.hpp"', "wrong arrow")

    def test_private_header_in_a_public_one(self):
        self.expect("include/plush/world/x.hpp", '"core/assert.hpp"', "private")

    def test_umbrella_inside(self):
        self.expect("src/world/x.cpp", '"plush/plush.hpp"', "only programs")

    def test_libraries_in_public_headers(self):
        for header in ("<Eigen/Dense>", "<tbb/task_arena.h>", "<oneapi/tbb/task_arena.h>", "<fmt/core.h>",
                       "<nlohmann/json_fwd.hpp>", "<CLI/CLI.hpp>", "<xxhash.h>", "<embree3/rtcore.h>", "<png.h>",
                       "<ft2build.h>"):
            with self.subTest(header):
                self.expect("include/plush/world/x.hpp", header, "must not show")
                (self.tree / "include/plush/world/x.hpp").unlink()

    def test_library_in_the_wrong_room(self):
        self.expect("src/world/x.cpp", "<oneapi/tbb/parallel_for.h>", "belongs to core")

    def test_libraries_of_pictures(self):
        for header in ("<embree3/rtcore.h>", "<png.h>", "<ft2build.h>"):
            with self.subTest(header):
                self.expect("src/record/x.cpp", header, "belongs to render only")
                (self.tree / "src/record/x.cpp").unlink()

    def test_file_that_is_not_there(self):
        self.expect("src/core/x.cpp", '"core/gone.hpp"', "no file")

    def test_empty_tree(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertTrue(arrows.check(empty))


class Text(Tree):
    def expect(self, content, count, name="docs/page.md"):
        self.write(name, content)
        self.track()
        self.assertEqual(len(text.check(self.tree)), count, text.check(self.tree))

    def test_clean(self):
        self.expect("Run build/work/x, a framework/home/y, src/root/z; see shared_ptr and share/plush.\n", 0)

    def test_machine_paths(self):
        self.expect("".join(f"in /{name}/me\n" for name in ("work", "home", "root")), 3)

    def test_outside_folder(self):
        self.expect("see ../" + "shared" + "/meshes\n", 1)

    def test_outside_folder_where_it_is_allowed(self):
        self.expect("see ../" + "shared" + "/meshes\n", 0, "tests/CMakeLists.txt")

    def test_unfinished_work(self):
        self.expect("// TO" + "DO later\n// FIX" + "ME\n", 2)

    def test_registry(self):
        self.expect('"resolved": "https://registry.npmjs' + '.org/x"\n', 1)

    def test_binary(self):
        self.expect(b"\x00\x01\x02\x03", 1)

    def test_not_utf8(self):
        self.expect(b"caf\xe9\n", 1)

    def test_broken_input_for_a_reader(self):
        self.expect(b"caf\xe9\n", 0, "tests/data/scenes_bad/latin1.jsonc")

    def test_large_broken_input(self):
        self.expect(b"\xe9" * (text.BROKEN_LIMIT + 1), 1, "tests/data/scenes_bad/latin1.jsonc")

    def test_small_picture(self):
        self.expect(b"\x89PNG\r\n\x1a\n" + bytes(100), 0, "docs/small.png")

    def test_large_picture(self):
        self.expect(b"\x89PNG\r\n\x1a\n" + bytes(text.PNG_LIMIT), 1, "docs/large.png")


class Format(Tree):
    def test_badly_formatted_file_is_found(self):
        program = formatting.clang_format_14()
        if not program:
            self.skipTest("no clang-format 14")
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("good.cpp", "int main() { return 0; }\n")
        self.track()
        self.assertEqual(formatting.check(self.tree, program), [])
        self.write("bad.cpp", "int  main( ){return 0 ;}\n")
        self.track()
        self.assertTrue(all("bad.cpp:1:" in line for line in formatting.check(self.tree, program)))
        self.assertTrue(formatting.check(self.tree, program))


if __name__ == "__main__":
    unittest.main()
