# SPDX-License-Identifier: Apache-2.0
"""Tests which lines of a page are taken as commands, and which outputs match a sample of it."""
import unittest

from commands import commands_of_help, commands_of_page, mentions
from samples import Unlike, difference, shape


def typed(markdown):
    return [(command.line, command.text) for command in commands_of_page(markdown)]


class Commands(unittest.TestCase):
    def test_of_an_indented_block(self):
        self.assertEqual(typed("Text\n\n    adarun ps          lists them\n    adarun: a line of output\n\nadarun text\n"),
                         [(3, "adarun ps")])

    def test_with_variables_before_it(self):
        self.assertEqual(typed("\n    A=b C= adarun ps\n"), [(2, "A=b C= adarun ps")])

    def test_a_block_with_prompts_shows_output_too(self):
        self.assertEqual(typed("```\n$ adarun ps\nadarun is no command here\n$ ./own  # remark\n```\n"),
                         [(2, "adarun ps"), (4, "./own  # remark")])

    def test_of_a_command_with_a_prompt_the_output_is_a_sample(self):
        samples = [command.sample for command in commands_of_page("\n    $ adarun ps\n    a\n      ...\n    $ true\n\n    adarun ps\n    b\n")]
        self.assertEqual(samples, [("a", "  ..."), (), ()])

    def test_prompts_count_up_to_the_next_empty_line(self):
        self.assertEqual(typed("\n    adarun ps\n\n    $ adarun status\n    adarun said so\n"), [(2, "adarun ps"), (4, "adarun status")])

    def test_go_on_in_loops_and_behind_a_backslash(self):
        self.assertEqual(typed("\n    for i in 1 2; do\n      echo $i\n    done\n    adarun launch \\\n      -- true\n"),
                         [(2, "for i in 1 2; do\n  echo $i\ndone"), (5, "adarun launch \\\n  -- true")])
        with self.assertRaises(AssertionError):
            typed("\n    for i in 1 2; do\n      echo $i\n\n")

    def test_other_languages_have_none(self):
        self.assertEqual(typed("```c\nadarun ps\n```\n"), [])

    def test_a_continued_paragraph_is_no_block(self):
        self.assertEqual(typed("- a\n    adarun ps\n"), [])

    def test_of_a_help(self):
        text = "Options:\n  adarun no\n\nExamples:\n  adarun ps   all\n  scp -r job node1:\n\nExample:\n  adarun check -- ./p | cat\n"
        self.assertEqual([command.text for command in commands_of_help(text)],
                         ["adarun ps", "scp -r job node1:", "adarun check -- ./p | cat"])

    def test_mentions_in_running_text_and_in_output(self):
        self.assertEqual(mentions("say `adarun logs --tail 3` to adarun or `adarun-agent x`\n\n    to mend: adarun ps -a   now\n"),
                         [(1, ["adarun", "logs", "--tail", "3"]), (3, ["adarun", "ps", "-a"])])


def differs(sample, said, *unlikes):
    return difference(sample.splitlines(), said, unlikes)[0]


class Samples(unittest.TestCase):
    def test_what_varies_does_not_count(self):
        for page, run in (
                ("job 20261121-104502-3fa9c1: done", "job 20270101-000000-00000a: done"),
                ("16 ranks ended after 520 ms; logs in log_output/", "16 ranks ended after 2.3 s; logs in log_output/"),
                ("node1: 8 files, 40 MB", "node1: 8 files, 80 bytes"),
                ("hccl_8p_01234567_10.0.0.2.json", "hccl_8p_01234567_10.77.0.1.json"),
                ("http://127.0.0.1:41347/", "http://127.0.0.1:5/"),
                ("cannot connect to 203.0.113.7 port 22", "cannot connect to 10.77.0.9 port 9"),
                ("logs in /home/me/log_output/", "logs in /tmp/x.1/log_output/"),
                ("loss 2.3350 (min 4.4e-04, max 2 over 16 ranks)  7,279 images/s", "loss 0.1 (min 0.2, max 2 over 15 ranks) 12 images/s"),
                ("libmpi.so.40.30.4", "libmpi.so.40.20.0"),
                ("node1   0   same", "node1 0       same")):
            self.assertEqual(shape(page), shape(run))

    def test_what_is_said_does(self):
        for page, run in (
                ("rank 11 failed first: exit code 7", "rank 11 failed first: exit code 8"),
                ("ranks 0-10,12-15 on node[1-2]", "ranks 0-10,12-14 on node[1-2]"),
                ("steps 96", "steps 97"),
                ("in 3 ms", "in 3 MB"),
                ("ok  clock", "warning  clock"),
                ("$.server_list[0].device", "$.server_list[1].device"),
                ("logs in log_output/", "logs in /log_output/")):
            self.assertNotEqual(shape(page), shape(run))

    def test_lines_are_all_there_and_in_order(self):
        self.assertEqual(differs("a\nb", "a\n\nb\n"), "")
        self.assertIn("does not print (in this place): b", differs("a\nb", "a\nc\nb\n"))
        self.assertIn("does not print (in this place): b", differs("a\nb", "a\n"))
        self.assertIn("does not print (in this place): a", differs("a", "b\na\n"))
        self.assertIn("prints more", differs("a", "a\nb\n"))
        self.assertIn("does not print", differs("a", ""))

    def test_dots_stand_for_any_lines(self):
        for said in ("a\nb\n", "a\nx\ny\nb\nz\n"):
            self.assertEqual(differs("a\n...\nb\n...", said), "")
        self.assertIn("prints more", differs("...\nb", "b\na\n"))
        self.assertIn("does not print (in this place): b", differs("...\nb\n...", "a\n"))

    def test_a_line_may_be_another_on_the_nodes_of_the_test(self):
        other = Unlike(r"on gpu\d: 3", "the nodes are called otherwise", r"on node\d: \d")
        self.assertEqual(difference(["a", "on gpu1: 3"], "a\non node2: 4\n", [other]), ("", {other}))
        self.assertIn("does not print", differs("on gpu1: 3", "on gpu1: 3\n", other))
        self.assertEqual(differs("a\non gpu1: 3", "a\nx\ny\n", Unlike("on gpu.*", "there are none")), "")
        self.assertEqual(difference(["a"], "a\n", [other]), ("", set()))
