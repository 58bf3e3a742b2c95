# SPDX-License-Identifier: Apache-2.0
"""Tests local_names.py, unused_names.py and standard_names.py: the names that they find, and what they accept."""
import unittest

import local_names
import standard_names
import unused_names

LOCAL = "namespace adarun {\nnamespace {\n%s\n}  // namespace\n}\n"


class LocalNames(unittest.TestCase):
    def assert_found(self, one, other, count, folder="launcher/job"):
        files = {f"{folder}/a.cpp": LOCAL % one, "launcher/job/b.cpp": LOCAL % other}
        self.assertEqual(len(local_names.findings(files)), count, (one, other))

    def test_finds_functions_and_types_that_two_files_have(self):
        self.assert_found("int count(int x) { return x; }", "int count(long y, int z) {\n  if (y) { return 1; }\n  return 2;\n}", 1)
        self.assert_found("struct Group { int size; };", "class Group final { int x() { return 1; } };", 1)

    def test_lets_pass_what_is_no_name_of_the_file(self):
        self.assert_found("int first() { return count(1); }", "int count(int x) { return x; }", 0)
        self.assert_found("struct A { int size() { return 1; } };", "struct B { int size() { return 2; } };", 0)
        self.assert_found("int x() { return 1; }", "int x() { return 1; }", 0, folder="launcher/plan")


class UnusedNames(unittest.TestCase):
    def assert_found(self, code, count, path="launcher/job/a.cpp"):
        self.assertEqual(len(unused_names.findings({path: code})), count, code)

    def test_finds_names_that_a_file_does_not_use(self):
        self.assert_found("using std::vector;\n", 1)
        self.assert_found("  using ::adarun::launcher::Node;  // Node\n", 1)
        self.assert_found('namespace fs = std::filesystem;\nauto text = "fs";\n', 1)
        self.assert_found("using Clock = std::chrono::steady_clock;\nusing std::map;\n", 2)

    def test_lets_pass_what_is_used_and_what_names_nothing(self):
        self.assert_found("using std::vector;\nvector<int> numbers;\n", 0)
        self.assert_found("namespace fs = std::filesystem;\nfs::path path;\n", 0)
        self.assert_found("void f() {\n  using std::swap;\n  swap(a, b);\n}\nvoid g() {\n  using std::swap;\n  swap(c, d);\n}\n", 0)
        self.assert_found("struct Error : std::runtime_error {\n  using std::runtime_error::runtime_error;\n};\n", 0)
        self.assert_found("using namespace std::literals;\n", 0)

    def test_leaves_headers_alone(self):
        self.assert_found("using Answer = int;\n", 0, path="launcher/job/a.h")


REFUSED = [
    "std::string name();",
    "#include <string>\nstd::size_t size(std::string text);",
    "#include <cstdint>\nstruct Rank { pid_t pid; };",
    "#include <string_view>\nvoid say(std::string text);",
    "#include <vector>\ninline std::vector<int> made(std::vector<int> all) { return std::move(all); }",
    "std::this_is_in_no_list x;",
    "no_such_t x;",
    "// #include <string>\nstd::string name();",
]

ACCEPTED = [
    "#include <string>\nstd::string name();",
    "#include <cstdint>\nstd::uint64_t count();",
    "#include <stdint.h>\nuint64_t count();",
    "#include <sys/types.h>\npid_t parent();",
    "#include <sys/stat.h>\nmode_t rights();",
    "/// A std::string.\nconst char* text = \"std::vector\";",
    "#include <pmix.h>\npmix_status_t done();",
    "int size_of(char32_t point, int my_thing);",
]


class StandardNames(unittest.TestCase):
    def test_refuses_a_name_without_its_header(self):
        for text in REFUSED:
            with self.subTest(text):
                self.assertEqual(len(standard_names.findings({"base/a.h": text})), 1)

    def test_accepts_a_name_with_its_header(self):
        for text in ACCEPTED:
            with self.subTest(text):
                self.assertEqual(standard_names.findings({"base/a.h": text}), [])

    def test_reads_the_headers_of_rooms_only(self):
        for path in ("base/a.cpp", "tests/base/fake.h"):
            self.assertEqual(standard_names.findings({path: "std::string name();"}), [])
