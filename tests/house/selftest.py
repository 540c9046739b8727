"""The checks of the house can fail: each rule is broken once in a small tree of its own."""

import pathlib
import subprocess
import tempfile
import unittest

import arrows
import clang_syntax
import format as formatting
import names
import pinned
import size
import text
import words


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

    def test_library_in_the_wrong_module(self):
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


class Names(Tree):
    def setUp(self):
        super().setUp()
        self.write("include/plush/world/hit.hpp", "namespace plush {\nstruct Hit {\n    int body;\n};\n}\n")

    def expect(self, count, *contents, names_of=("src/core/a.hpp", "src/world/b.hpp")):
        for name, content in zip(names_of, contents):
            self.write(name, content)
        self.assertEqual(len(names.check(self.tree)), count, names.check(self.tree))

    def test_struct_in_two_headers(self):
        self.expect(1, "namespace plush {\nstruct Hit { double t; };\n}\n")
        self.assertEqual(names.check(self.tree),
                         ["src/core/a.hpp:2: plush::Hit is defined in include/plush/world/hit.hpp:2 too"])

    def test_every_kind_of_type(self):
        for content in ("class Hit final : public Base<int> {};", "enum class Hit : int { yes, no };", "union Hit {};",
                        "template <class T, int N = (3 > 2)>\nrequires(N > 2) class alignas(16) Hit {};",
                        "using Hit = int;", "typedef int Hit;", "struct [[nodiscard]] PLUSH_API Hit\n{};",
                        "template <class T> using Hit = T;"):
            with self.subTest(content):
                self.expect(1, f"namespace plush {{ {content} }}\n")

    def test_namespaces_written_differently(self):
        self.expect(1, "namespace plush::lab { struct A {}; }", "namespace plush { namespace lab { struct A {}; } }")

    def test_other_namespaces(self):
        self.expect(0, "namespace plush::lab { struct Hit {}; }", "namespace other { struct Hit {}; }")

    def test_no_definitions(self):
        self.expect(0, "namespace plush {\nstruct Hit;\nenum class Hit : int;\ntemplate <> struct Hit<int> {};\n"
                       "class A { struct Hit {}; };\nstruct Hit make() { struct Hit {} h; return h; }\n"
                       "using ::Hit;\nusing enum Hit;\n}\n")

    def test_comments_strings_and_branches(self):
        self.expect(0, "namespace plush { // struct Hit {};\n/* struct Hit {}; */\n"
                       'const char* a = "} struct Hit {};", c = \'}\';\nconst char* b = R"x(} struct Hit {}; )" )x";\n'
                       "constexpr int big = 1'000'000;\n#define HIT struct Hit {}; \\\n struct Hit {};\n"
                       "#if 0\nstruct Hit {};\n#endif\n}\n")

    def test_type_behind_what_looks_like_its_end(self):
        self.expect(1, "namespace plush {\nA::A() : a_{1}, b_(x[i[1]]) { go({}); }\n"
                       "#ifdef X\nvoid f(int x = {}) {\n#else\nvoid f() {\n#endif\n}\n"
                       "template <class T> concept C = requires(T t) { t.x; };\n"
                       "const auto g = [](int i) { return i; };\nconst char brace = '\\'';\n"
                       "struct Hit {};\n}\n")

    def test_sources(self):
        sources = ("src/core/a.cpp", "src/world/b.cpp")
        self.expect(1, "namespace plush { struct A {}; }", "namespace plush { struct A {}; }", names_of=sources)
        self.expect(0, "namespace plush { namespace { struct A {}; } }", names_of=sources)
        self.expect(1, "namespace plush { struct Hit {}; }", names_of=sources)
        self.expect(0, "namespace plush { using A = int; }", "namespace plush { using A = int; }", names_of=sources)
        self.expect(1, "struct World::Impl {};", "struct World::Impl {};", names_of=sources)

    def test_tests(self):
        of_one_module = ("tests/core/test_a.cpp", "tests/core/test_b.cpp")
        of_two_modules = ("tests/core/test_a.cpp", "tests/world/test_b.cpp")
        self.expect(0, "struct Fixture {};", "struct Fixture {};", names_of=of_two_modules)
        self.expect(1, "struct Fixture {};", "struct Fixture {};", names_of=of_one_module)
        self.expect(1, "", "namespace plush { struct Hit {}; }", names_of=of_one_module)

    def test_empty_tree(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertTrue(names.check(empty))


class Size(Tree):
    def function(self, signature, lines):
        """A function of so many lines, the one of its signature too."""
        return signature + " {\n" + "    work();\n" * (lines - 2) + "}\n"

    def expect(self, content, words, name="src/core/a.cpp"):
        self.write(name, content)
        found = size.check(self.tree)
        self.assertEqual(len(found), len(words), found)
        for problem, word in zip(found, words):
            self.assertIn(word, problem)

    def test_function(self):
        self.expect(self.function("int f(int a)", 80), [])
        self.expect("\n" + self.function("int f(int a)", 81), ["a.cpp:2: f() of 81 lines, more than 80"])

    def test_signature_of_several_lines(self):
        signature = "template <class T>\nvoid A::f(T a = {},\n  int b) const\n"
        self.expect(self.function(signature, 78), ["a.cpp:1: A::f() of 81"])

    def test_lambda_is_a_part_of_its_function(self):
        lambdas = self.function("const auto g = [&]", 40) + ";\n" + self.function("const auto h = [&](int i)", 40) + ";\n"
        self.expect("void f() {\n" + lambdas + "}\n", ["a.cpp:1: f() of 84"])

    def test_members(self):
        constructor = self.function("A() : a_{1}, b_(2)", 81)
        comparison = self.function("bool operator==(const A&) const noexcept", 82)
        self.expect("class A {\npublic:\n" + constructor + comparison + "};\n", ["A() of 81", "operator==() of 82"])

    def test_lambda_with_a_name(self):
        self.expect(self.function("const auto f = [](int i)", 81) + ";\n", ["f() of 81"])

    def test_classes_and_tables_may_be_long(self):
        self.expect("struct A {\n" + "    int f() { return 1; }\n" * 100 + "};\n"
                    "const int table[] = {\n" + "    1,\n" * 100 + "};\n", [])

    def test_function_of_a_public_header(self):
        self.expect(self.function("inline void f()", 81), ["x.hpp:1: f()"], "include/plush/core/x.hpp")

    def test_file(self):
        self.expect("int a;\n" * 500, [])
        self.expect("int a;\n" * 501, ["a file of 501 lines, more than 500"])

    def test_long_test(self):
        self.write("src/core/b.cpp", "int b;\n")
        self.expect(self.function("TEST(A, B)", 1000), [], "tests/core/test_a.cpp")

    def test_empty_tree(self):
        self.assertTrue(size.check(self.tree))


class Pinned(Tree):
    def test_calls_of_libm(self):
        self.write("src/core/transcendental.cpp", "double f(double x) { return std::sin(x); }\n")
        self.write("src/render/x.cpp", "double f(double x) { return std::sin(x); }\n")
        self.write("src/world/x.cpp", "double f(double x) { return pinned::sin(x) + std::sqrt(x); }  // not std::sin\n")
        self.assertEqual(pinned.check(self.tree), [])
        for call in ("std::sin(x)", "std::pow(x, 2)", "std::atan2f(x, x)", "apply(std::exp, x)", "std::log1p(x)"):
            with self.subTest(call):
                self.write("include/plush/math/x.hpp", f"\ninline double f(double x) {{ return {call}; }}\n")
                found = pinned.check(self.tree)
                self.assertEqual(len(found), 1, found)
                self.assertIn("math/x.hpp:2: std::", found[0])

    def test_empty_tree(self):
        self.assertTrue(pinned.check(self.tree))


class Words(Tree):
    def expect(self, content, *found_words, name="src/world/a.cpp"):
        self.write(name, content)
        self.track()
        found = words.check(self.tree)
        self.assertEqual(len(found), len(found_words), found)
        for problem, word in zip(found, found_words):
            self.assertIn(f'{name}:1: "{word}"', problem)

    def test_each_word(self):
        for bad in ("pairs are looked at", "a second look", "seen_pairs", "carriers", "surface that the vertices carry",
                    "answers impulses", "an outer loop", "witnesses", "closest_way_out", "keep_last_good", "struct Brick",
                    "need not be looked", "hangs together", "with its cure", "rooms of the code", "points against distances",
                    "contact by volume", "most_cells", "finish_words()", "the same of"):
            with self.subTest(bad):
                self.write("src/world/a.cpp", f"// {bad} here\n")
                self.track()
                self.assertEqual(len(words.check(self.tree)), 1, words.check(self.tree))

    def test_place(self):
        self.expect("// this hangs together\n", "hangs together")

    def test_other_senses(self):
        self.expect('// look at the picture; the answer is no; {"most_contacts", n}; almost; Error{.cure = fix}; room for more\n'
                    "// friction carries the weight; known_words(x)\n")

    def test_history_is_not_rewritten(self):
        self.expect("- contact by volume\n", name="CHANGELOG.md")


class ClangSyntax(Tree):
    def setUp(self):
        super().setUp()
        self.clang = clang_syntax.clang_14()
        if not self.clang:
            self.skipTest("no clang 14")
        self.write("include/plush/world/pair.hpp", "#pragma once\nstruct Pair {\n    int a, b;\n};\n")
        self.write("src/world/world_impl.hpp", '#pragma once\n#include "plush/world/pair.hpp"\n')
        self.write("src/world/step.cpp", '#include "world/world_impl.hpp"\nint f(Pair p) { return p.a + p.b; }\n')

    def expect(self, name, content, words):
        compiler = [*self.clang, "-Wall", "-Wextra", "-Werror"]
        self.assertEqual(clang_syntax.check(self.tree, self.tree / "build", compiler), [])
        self.write(name, content)
        complaints = clang_syntax.check(self.tree, self.tree / "build", compiler)
        self.assertEqual(len(complaints), 1, complaints)
        self.assertIn(words, complaints[0])

    def test_captured_structured_binding(self):
        self.expect("src/contact/joints/joint.cpp", '#include "plush/world/pair.hpp"\nint f(Pair p) {\n    auto [a, b] = p;\n'
                                             "    return [&] { return a + b; }();\n}\n", "joint.cpp:4:")

    def test_warning(self):
        self.expect("src/world/deep/x.cpp", "static int unused() { return 0; }\n", "unused function")

    def test_public_header_that_needs_another(self):
        self.expect("include/plush/world/x.hpp", "#pragma once\ninline Pair pair() { return {1, 2}; }\n", "x.hpp:2:")

    def test_name_of_a_header_that_is_not_included(self):
        self.write("src/contact/x.hpp", "#pragma once\nnamespace plush {\nstruct Edge {};\n}\n")
        self.write("src/world/x.cpp", "namespace plush {\nnamespace {\nstruct Edge {};\n}\n"
                                      "void f() { (void)Edge{}; }\n}\n")
        self.expect("src/world/x.cpp", "int f() { return Edge{}; }\n", "x.cpp:1:")

    def test_broken_private_header(self):
        self.expect("src/contact/x.hpp", "#pragma once\nstruct Open {\n", "x.hpp:2:")

    def test_empty_tree(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertTrue(clang_syntax.check(empty, self.tree / "build", self.clang))


if __name__ == "__main__":
    unittest.main()
