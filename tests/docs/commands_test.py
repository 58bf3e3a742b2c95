# SPDX-License-Identifier: Apache-2.0
"""Tests which lines of a page are taken as commands."""
import unittest

from commands import commands_of_help, commands_of_page, mentions


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
