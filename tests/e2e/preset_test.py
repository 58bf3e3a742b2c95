# SPDX-License-Identifier: Apache-2.0
"""The words of the presets of --via, read by stand-ins that take command lines as the real programs document them, and go
to a test host. The stand-ins pass nothing on that the real ones do not."""
import os

from e2e import Case, hosts, launch, write_lines, write_program

# kubectl exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]; stdin only with -i; for another status than 0:
# "command terminated with exit code N". https://kubernetes.io/docs/reference/kubectl/generated/kubectl_exec/
KUBECTL = """
[ "$1" = exec ] || { echo 'error: unknown command' >&2; exit 1; }
shift; input=/dev/null; pod=
while [ "$1" != -- ]; do
  case $1 in
    -i|--stdin) input= ;;
    -c|-n) shift ;;
    -*) echo "error: unknown flag: $1" >&2; exit 1 ;;
    *) [ -z "$pod" ] || { echo 'error: exec [POD] [COMMAND] is not supported anymore' >&2; exit 1; }; pod=$1 ;;
  esac
  shift
done
shift
ip netns list | grep -qw "$pod" || { echo "Error from server (NotFound): pods \\"$pod\\" not found" >&2; exit 1; }
if [ -n "$input" ]; then exec <"$input"; fi
ip netns exec "$pod" "$@"; status=$?
[ $status = 0 ] || echo "command terminated with exit code $status" >&2
exit $status
"""

# docker exec [OPTIONS] CONTAINER COMMAND [ARG...]; options end at the container's name; stdin only with -i.
# https://docs.docker.com/reference/cli/docker/container/exec/
DOCKER = """
[ "$1" = exec ] || { echo "docker: '$1' is not a docker command." >&2; exit 1; }
shift; input=/dev/null
while :; do
  case $1 in
    -i|--interactive) input= ;;
    -t|-it) echo 'the input device is not a TTY' >&2; exit 1 ;;
    -*) echo "unknown flag: $1" >&2; exit 125 ;;
    *) break ;;
  esac
  shift
done
host=$1; shift
ip netns list | grep -qw "$host" || { echo "Error response from daemon: No such container: $host" >&2; exit 1; }
if [ -n "$input" ]; then exec <"$input"; fi
exec ip netns exec "$host" "$@"
"""

# blaunch [-n] [-u host_file | -z host_name ... | host_name] [-use-login-shell | -no-shell] command [argument ...]: stdin but
# with -n; other options of rsh and ssh are ignored; without -no-shell a shell reads the words. Not outside of a job.
# https://www.ibm.com/docs/en/spectrum-lsf/10.1.0?topic=reference-blaunch
BLAUNCH = """
[ -n "$LSB_JOBID" ] || { echo 'blaunch: not in an LSF job' >&2; exit 255; }
while :; do
  case $1 in -n) exec </dev/null ;; -*) ;; *) break ;; esac
  shift
done
host=$1; shift
if [ "$1" = -no-shell ]; then shift; exec ip netns exec "$host" "$@"; fi
exec ip netns exec "$host" sh -c "$*"
"""

# flux run [OPTIONS] COMMAND...: options end at the command; --requires=host:HOST; stdin goes to all tasks.
# https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man1/flux-run.html
FLUX = """
[ "$1" = run ] || exit 1
shift; host=
while :; do
  case $1 in
    -N1|-n1|--unbuffered) ;;
    -o) shift; case $1 in cpu-affinity=off|gpu-affinity=off) ;; *) exit 1 ;; esac ;;
    --requires=host:*) host=${1#--requires=host:} ;;
    -*) echo "flux-run: unrecognized arguments: $1" >&2; exit 1 ;;
    *) break ;;
  esac
  shift
done
exec ip netns exec "$host" "$@"
"""

# pbs_attach [-j jobid] [-m port] [-P] [-s] cmd [args]: executes the command as a part of the job, with its stdin and stdout.
# OpenPBS, src/cmds/pbs_attach.c. It is on the node, which the real ssh reaches.
PBS_ATTACH = """
[ "$1" = -j ] && [ "$2" = '7[1].server' ] || { echo "pbs_attach: unknown job $2" >&2; exit 1; }
shift 2
exec "$@"
"""


class Presets(Case):
    def setUp(self):
        super().setUp()
        for name, text in (("kubectl", KUBECTL), ("docker", DOCKER), ("blaunch", BLAUNCH), ("flux", FLUX),
                           ("pbs_attach", PBS_ATTACH)):
            write_program(name, text.strip().splitlines())
        self.env = {"PATH": f"{self.folder}:{os.environ['PATH']}", "LSB_JOBID": "7", "PBS_JOBID": "7[1].server"}

    def launch(self, via, *words, where=None):
        return launch("--via", via, "--", *words, hosts=where or hosts(2), env=self.env)

    def assert_reaches(self, via):
        odd = ["a b", "it's", "$HOME", "two\nlines", "*", "", "--resume", "-x"]
        script = 'echo "$RANK $(ip -br -4 address show eth0 | cut -d/ -f1 | rev | cut -d" " -f1 | rev)"; printf "<%s>" "$@"; echo'
        self.launch(via, "sh", "-c", script, "sh", *odd).expect(0, stderr="")
        words = "".join(f"<{word}>" for word in odd)
        self.assertEqual(self.logs(4), [f"{rank} 10.77.0.{2 + rank // 2}\n{words}\n" for rank in range(4)])

    def test_kubectl(self):
        self.assert_reaches("kubectl")
        self.assert_reaches("exec:kubectl exec -i {host} -c trainer --")
        done = self.launch("kubectl", "true", where="node9")
        self.assertIn('adarun: node9: no agent answered: kubectl exec -i node9 --: Error from server (NotFound): pods "node9" not found\n',
                      done.stderr)

    def test_docker(self):
        self.assert_reaches("docker")
        done = self.launch("exec:docker exec -it {host}", "true", where="node1")
        self.assertIn("node1: no agent answered: docker exec -it node1: the input device is not a TTY\n", done.stderr)
        done = self.launch("exec:docker exec {host}", "true", where="node1")
        self.assertIn("node1: the agent hung up: docker exec node1: exit status 1 (does it pass stdin on, as docker's -i does?)\n", done.stderr)

    def test_containers_behind_ssh(self):
        # docker is on the other machine.
        self.add_to_path_of_nodes()
        write_lines("docker", ["#!/bin/sh", '[ "$1 $2 $3" = "exec -i trainer" ] || exit 1', "shift 3", 'exec "$@"'])
        self.assert_reaches("exec:ssh -T {host} docker exec -i trainer {command}")

    def test_lsf(self):
        self.assert_reaches("lsf")

    def test_flux(self):
        self.assert_reaches("flux")

    def test_pbs(self):
        self.add_to_path_of_nodes()
        self.assert_reaches("pbs")
