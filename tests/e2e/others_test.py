# SPDX-License-Identifier: Apache-2.0
"""Folders in which another user of the machine was first: nothing of ours is written, or read, through them."""
import os
import shutil
import tempfile
import unittest

from e2e import read, run, write

BIN = os.environ["ADARUN_TEST_BIN"]
MALLORY = 45001
USER = 45002


def run_as(uid, *words, cwd, home=None):
    return run("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *words, cwd=cwd,
               env={"HOME": home or "/nonexistent", "XDG_STATE_HOME": f"{home}/state"})


@unittest.skipUnless(os.geteuid() == 0, "only root can be several users")
class Others(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        os.chmod(self.root, 0o755)
        self.home = self.folder("home", USER, 0o700)
        self.shared = self.folder("shared", 0, 0o777)
        # Programs that another user may execute, wherever they were built.
        self.programs = self.folder("bin", 0, 0o755)
        for name in ("adarun", "adarun-agent"):
            shutil.copy(f"{BIN}/{name}", self.programs)

    def folder(self, name, owner, mode):
        path = f"{self.root}/{name}"
        os.mkdir(path)
        os.chown(path, owner, owner)
        os.chmod(path, mode)
        return path

    def launch(self, uid, *options, cwd=None, says="hello"):
        return run_as(uid, f"{self.programs}/adarun", "launch", "-n", "2", "--via", "local", *options, "--", "echo", says,
                      cwd=cwd or self.shared, home=self.home if uid == USER else self.folder("root", 0, 0o700))

    def mallory(self, script, cwd=None):
        done = run_as(MALLORY, "sh", "-ec", script, cwd=cwd or self.shared)
        self.assertEqual(done.returncode, 0, done.stderr)

    def private_file(self, uid):
        path = f"{self.home}/private"
        write(path, "mine\n")
        os.chown(path, uid, uid)
        os.chmod(path, 0o600)
        return path

    def assert_private(self, path):
        self.assertEqual(read(path), "mine\n")

    def assert_refused(self, done, reason):
        self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
        self.assertEqual(done.stderr, f"adarun: {reason}: no files are written there\n")

    def test_a_log_folder_that_another_user_made_first_is_refused(self):
        for uid, mode in ((USER, 0o777), (0, 0o755), (0, 0o777)):
            with self.subTest(uid=uid, mode=mode):
                self.mallory(f"mkdir log_output; chmod {mode:o} log_output")
                self.assert_refused(self.launch(uid), f"{self.shared}/log_output: belongs to another user (uid {MALLORY})")
                self.assertEqual(os.listdir(f"{self.shared}/log_output"), [])
                os.rmdir(f"{self.shared}/log_output")
                shutil.rmtree(f"{self.root}/root", ignore_errors=True)

    def test_a_log_folder_where_any_user_may_write_is_refused(self):
        logs = self.folder("logs", USER, 0o1777)
        self.assert_refused(self.launch(USER, "--log-dir", logs), f"{logs}: any user may write there")

    def test_a_link_of_another_user_is_no_log_folder(self):
        logs = self.folder("logs", USER, 0o755)
        self.mallory(f"ln -s {logs} log_output")
        self.assert_refused(self.launch(USER), f"{self.shared}/log_output: a link that another user has made")
        self.assertEqual(os.listdir(logs), [])

    def test_logs_of_another_users_job_make_room_where_anyone_may_rename_them(self):
        private = self.private_file(USER)
        self.mallory("""mkdir log_output; echo '{"id": "theirs", "ranks": []}' > log_output/job.json; """
                     f"ln -s {private} log_output/worker_0.log; chmod 777 log_output")
        self.launch(USER).expect(0, stdout="hello\nhello\n")
        self.assertEqual(os.stat(f"{self.shared}/log_output").st_uid, USER)
        self.assertTrue(os.path.exists(f"{self.shared}/log_output.theirs/job.json"))
        self.assert_private(private)

    def test_in_the_folder_of_a_group_each_has_logs_of_its_own(self):
        group = self.folder("group", 0, 0o2775)
        os.chown(group, 0, USER)
        for _ in range(2):
            self.launch(USER, cwd=group).expect(0, stdout="hello\nhello\n")
        self.assertEqual(len(os.listdir(group)), 2, "the first job's logs were renamed")

    def test_root_works_in_the_folder_of_a_user(self):
        theirs = self.folder("theirs", MALLORY, 0o755)
        for _ in range(2):
            shutil.rmtree(f"{self.root}/root", ignore_errors=True)
            self.launch(0, cwd=theirs).expect(0, stdout="hello\nhello\n")
        self.assertEqual(os.stat(f"{theirs}/log_output").st_uid, 0)

    def test_what_a_user_names_is_not_written_through_the_link_of_another(self):
        private = self.private_file(USER)
        trace = "trace.json"
        self.mallory(f"ln -s {private} {trace}")
        self.launch(USER, "--log-dir", f"{self.home}/logs", "--trace", trace, says="epoch: 1 step: 1, loss is 0.5").expect(0)
        self.assert_private(private)
        for command in (["script", "hostfile", "--hosts", "a:2", "-o", "out"],
                        ["monitor", f"{self.home}/logs", "--csv", "out"]):
            with self.subTest(command=command):
                self.mallory(f"ln -sf {private} out")
                done = run_as(USER, f"{self.programs}/adarun", *command, cwd=self.shared, home=self.home)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_private(private)
                self.assertFalse(os.path.islink(f"{self.shared}/out"))
                os.remove(f"{self.shared}/out")
