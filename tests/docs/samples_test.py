# SPDX-License-Identifier: Apache-2.0
"""Tests which outputs match the sample of a page, and which do not."""
import unittest

from samples import Unlike, difference, shape


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
