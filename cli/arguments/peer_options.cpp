// SPDX-License-Identifier: Apache-2.0
//
// Sources: mpirun(1) of Open MPI 4.1, "mpiexec -help" of MPICH 4.0 (Hydra), "horovodrun --help", torchrun's
// and msrun's pages of PyTorch 2 and MindSpore 2.3, srun(1) of Slurm 22.05, docker-run(1).
#include "cli/arguments/peer_options.h"

#include <algorithm>
#include <array>

namespace adarun::cli {
namespace {

using enum PeerOption::Kind;

constexpr std::string_view one_command =
    "not needed: one command starts the ranks of all nodes, and gives them MASTER_ADDR and MASTER_PORT";
constexpr std::string_view slots_of_list =
    "ranks of a node are counted in the list (node[1-4]:8) or by --nproc-per-node 8";
constexpr std::string_view order_of_ranks =
    "ranks follow the order of the list, node after node; a rank table (-r) gives any other";
constexpr std::string_view by_roles =
    "wanted adarun launch --role NAME=RANKS -- PROGRAM, once for each program";
constexpr std::string_view change_of_nodes =
    "wanted --min-nodes N: the job continues with fewer nodes; adarun resize adds some while it runs";
constexpr std::string_view no_terminal =
    "ranks have no terminal to read from; --stdin 0 passes stdin on to rank 0";
constexpr std::string_view files_of_ranks =
    "not needed: what ranks print is shown, and is in log_output/worker_<rank>.log (--log-dir DIR)";
constexpr std::string_view files_of_nodes =
    "not needed: ranks see the files of their node; --stage FILE brings more";
constexpr std::string_view output_files = "wanted --log-dir DIR, which gets a worker_<rank>.log of each rank";
constexpr std::string_view learns_at_once = "not needed: adarun learns at once that a rank has ended";
constexpr std::string_view first_interface =
    "not needed, mostly; else --env NCCL_SOCKET_IFNAME=eth0 or its like";
constexpr std::string_view from_scheduler =
    "ask salloc or sbatch for nodes, and run adarun with --via slurm inside the job";

constexpr std::array peers{
    // How many ranks, and where.
    PeerOption{"-np", synonym, "-n"},
    PeerOption{"--np", synonym, "-n"},
    PeerOption{"--n", synonym, "-n"},
    PeerOption{"--num-proc", synonym, "-n"},
    PeerOption{"--ntasks", synonym, "-n"},
    PeerOption{"--worker_num", synonym, "-n"},
    PeerOption{"-c", refused, "mpirun's -c is -n here, srun's is --bind numa"},
    PeerOption{"-N", refused, "mpirun's -N is --nproc-per-node here, srun's is --nnodes"},
    PeerOption{"-npernode", synonym, "--nproc-per-node"},
    PeerOption{"--npernode", synonym, "--nproc-per-node"},
    PeerOption{"-pernode", refused, "wanted --nproc-per-node 1"},
    PeerOption{"--pernode", refused, "wanted --nproc-per-node 1"},
    PeerOption{"-ppn", synonym, "--nproc-per-node"},
    PeerOption{"--ppn", synonym, "--nproc-per-node"},
    PeerOption{"--nproc_per_node", synonym, "--nproc-per-node"},
    PeerOption{"--ntasks-per-node", synonym, "--nproc-per-node"},
    PeerOption{"--local_worker_num", synonym, "--nproc-per-node"},
    PeerOption{"--gpus-per-node", refused, slots_of_list},
    PeerOption{"--gpus", refused, slots_of_list},
    PeerOption{"-G", refused, slots_of_list},
    PeerOption{"--gres", refused, slots_of_list},
    PeerOption{"--replicas", refused, "wanted -n N"},
    PeerOption{"--gpus-per-task", refused, "a rank has one device, whose number is in DEVICE_ID"},
    PeerOption{"--min-np", refused, change_of_nodes},
    PeerOption{"--max-np", refused, change_of_nodes},
    PeerOption{"--host-discovery-script", refused, change_of_nodes},
    PeerOption{"--nodes", refused, "wanted --nnodes N, or the nodes by name: --hosts node[1-4]:8"},
    PeerOption{"-host", synonym, "--hosts"},
    PeerOption{"--host", synonym, "--hosts"},
    PeerOption{"-hosts", synonym, "--hosts"},
    PeerOption{"-hostfile", synonym, "--hosts"},
    PeerOption{"--hostfile", synonym, "--hosts"},
    PeerOption{"-machinefile", synonym, "--hosts"},
    PeerOption{"--machinefile", synonym, "--hosts"},
    PeerOption{"-f", synonym, "--hosts"},
    PeerOption{"-w", synonym, "--hosts"},
    PeerOption{"--nodelist", synonym, "--hosts"},
    PeerOption{"--host-file", synonym, "--hosts"},
    PeerOption{"--default-hostfile", synonym, "--hosts"},
    PeerOption{"-F", synonym, "--hosts"},
    PeerOption{"--nodefile", synonym, "--hosts"},
    PeerOption{"--rank_table_file", synonym, "--rank-table"},
    PeerOption{"-rf", refused, order_of_ranks},
    PeerOption{"--rankfile", refused, order_of_ranks},
    PeerOption{"--map-by", refused, order_of_ranks},
    PeerOption{"-map-by", refused, order_of_ranks},
    PeerOption{"--rank-by", refused, order_of_ranks},
    PeerOption{"--distribution", refused, order_of_ranks},
    PeerOption{"--bind-to", synonym, "--bind"},
    PeerOption{"-bind-to", synonym, "--bind"},
    PeerOption{"--cpu-bind", refused, "wanted --bind core|numa|none"},
    PeerOption{"--bind_core", refused, "wanted --bind core"},
    PeerOption{"--cpus-per-task", refused,
               "wanted --bind numa, which also sets OMP_NUM_THREADS to a rank's share"},
    PeerOption{"--report-bindings", refused, "wanted -v"},
    PeerOption{"--display-map", refused, "wanted --dry-run, which starts nothing, or -v"},
    PeerOption{"--display-allocation", refused, "wanted --dry-run, which starts nothing, or -v"},
    PeerOption{"--do-not-launch", synonym, "--dry-run"},
    PeerOption{"--partition", refused, from_scheduler},
    PeerOption{"-p", refused, "horovodrun's -p is --port here; for srun's, ask salloc or sbatch for nodes"},
    PeerOption{"--account", refused, from_scheduler},
    PeerOption{"--jobid", refused, from_scheduler},
    PeerOption{"-A", refused, from_scheduler},
    PeerOption{"--qos", refused, from_scheduler},
    PeerOption{"--constraint", refused, from_scheduler},
    PeerOption{"-C", refused, from_scheduler},
    PeerOption{"--reservation", refused, from_scheduler},
    PeerOption{"--exclusive", refused, from_scheduler},
    PeerOption{"--mem", refused, from_scheduler},
    PeerOption{"--mem-per-cpu", refused, from_scheduler},
    // What they run.
    PeerOption{"-m", refused, "wanted python3 -m MODULE as the program (torchrun's -m)"},
    PeerOption{"--module", refused, "wanted python3 -m MODULE as the program"},
    PeerOption{"--no-python", needless, ""},
    PeerOption{"--no_python", needless, ""},
    PeerOption{"--use-env", needless, ""},
    PeerOption{"--use_env", needless, ""},
    PeerOption{"--role", refused, by_roles},
    PeerOption{"--app", refused, by_roles},
    PeerOption{"--multi-prog", refused, by_roles},
    PeerOption{"--prefix", refused, "not needed: adarun brings its agent to the nodes"},
    PeerOption{"--preload-files", refused, "wanted --stage FILE"},
    PeerOption{"--volume", refused, files_of_nodes},
    PeerOption{"--mount", refused, files_of_nodes},
    PeerOption{"--rm", refused, "not needed: adarun prune removes the log folders of jobs that have ended"},
    PeerOption{"--bcast", refused, "wanted --stage FILE"},
    // What ranks find.
    PeerOption{"-e", synonym, "--env"},
    PeerOption{"--export", refused, "wanted --env NAME or --env NAME=VALUE, once for each; --env-file FILE"},
    PeerOption{"-genv", variable, ""},
    PeerOption{"-env", variable, ""},
    PeerOption{"-genvall", refused, "wanted --env NAME, once for each, or --env-file FILE"},
    PeerOption{"-envall", refused, "wanted --env NAME, once for each, or --env-file FILE"},
    PeerOption{"-mca", variable, "OMPI_MCA_"},
    PeerOption{"--mca", variable, "OMPI_MCA_"},
    PeerOption{"-genvlist", refused, "wanted --env NAME, once for each"},
    PeerOption{"-wdir", synonym, "--workdir"},
    PeerOption{"--wdir", synonym, "--workdir"},
    PeerOption{"-wd", synonym, "--workdir"},
    PeerOption{"--wd", synonym, "--workdir"},
    PeerOption{"--chdir", synonym, "--workdir"},
    PeerOption{"-D", synonym, "--workdir"},
    PeerOption{"--preload-binary", refused, "wanted --stage FILE"},
    PeerOption{"--propagate", refused, "wanted --ulimit NAME=VALUE"},
    PeerOption{"--network-interface", refused, first_interface},
    PeerOption{"--network-interfaces", refused, first_interface},
    PeerOption{"--gloo", refused,
               "leave it out: Horovod's Gloo works under horovodrun alone, here Horovod uses MPI"},
    PeerOption{"-stdin", synonym, "--stdin"},
    PeerOption{"--input", refused, "wanted --stdin 0|all|none, and < FILE"},
    PeerOption{"-it", refused, no_terminal},
    PeerOption{"--interactive", refused, no_terminal},
    PeerOption{"--tty", refused, no_terminal},
    PeerOption{"--pty", refused, no_terminal},
    PeerOption{"-i", refused, "horovodrun's -i is --identity here; --stdin 0 passes stdin on to rank 0"},
    // What becomes of their output, and of the job.
    PeerOption{"--output-filename", synonym, "--log-dir"},
    PeerOption{"-output-filename", synonym, "--log-dir"},
    PeerOption{"--log_dir", synonym, "--log-dir"},
    PeerOption{"--tail", refused,
               "wanted --show RANKS (--tail of adarun logs and attach is a number of lines)"},
    PeerOption{"-l", synonym, "--tag-output"},
    PeerOption{"--label", synonym, "--tag-output"},
    PeerOption{"-prepend-rank", synonym, "--tag-output"},
    PeerOption{"-tag-output", synonym, "--tag-output"},
    PeerOption{"--timestamp-output", refused,
               "not needed: adarun logs --merge and --since know the time of a line"},
    PeerOption{"--output", refused, output_files},
    PeerOption{"-o", refused, output_files},
    PeerOption{"--error", refused, output_files},
    PeerOption{"--tee", refused, files_of_ranks},
    PeerOption{"--redirects", refused, files_of_ranks},
    PeerOption{"--local-ranks-filter", refused, "wanted --show RANKS"},
    PeerOption{"--local_ranks_filter", refused, "wanted --show RANKS"},
    PeerOption{"--tail_worker_log", synonym, "--show"},
    PeerOption{"-quiet", synonym, "--quiet"},
    PeerOption{"-Q", synonym, "--quiet"},
    PeerOption{"-J", synonym, "--name"},
    PeerOption{"--job-name", synonym, "--name"},
    PeerOption{"-d", synonym, "--detach"},
    PeerOption{"--background", synonym, "--detach"},
    PeerOption{"--max-restarts", synonym, "--restarts"},
    PeerOption{"--max_restarts", synonym, "--restarts"},
    PeerOption{"--start-timeout", synonym, "--connect-timeout"},
    PeerOption{"--cluster_time_out", synonym, "--connect-timeout"},
    PeerOption{"--time", refused, "wanted --timeout 30m"},
    PeerOption{"-t", refused,
               "srun's -t is --timeout 30m here; torchrun's is not needed: log_output/ has all"},
    PeerOption{"--ssh-port", synonym, "--port"},
    PeerOption{"--ssh-identity-file", synonym, "--identity"},
    // What is so anyway.
    PeerOption{"--allow-run-as-root", needless, ""},
    PeerOption{"-allow-run-as-root", needless, ""},
    PeerOption{"--oversubscribe", needless, ""},
    PeerOption{"-oversubscribe", needless, ""},
    PeerOption{"--nooversubscribe", needless, ""},
    PeerOption{"-nooversubscribe", needless, ""},
    PeerOption{"--overcommit", needless, ""},
    PeerOption{"-O", needless, ""},
    PeerOption{"--overlap", needless, ""},
    PeerOption{"-K", needless, ""},
    PeerOption{"--kill-on-bad-exit", refused, "not needed: the first rank that fails ends the job"},
    PeerOption{"-u", needless, ""},
    PeerOption{"--unbuffered", needless, ""},
    PeerOption{"--monitor-interval", refused, learns_at_once},
    PeerOption{"--monitor_interval", refused, learns_at_once},
    PeerOption{"--node-rank", refused, one_command},
    PeerOption{"--node_rank", refused, one_command},
    PeerOption{"--join", refused, "not needed: adarun waits for all ranks, and says which one failed first"},
    PeerOption{"--rdzv-backend", refused, one_command},
    PeerOption{"--rdzv-endpoint", refused, one_command},
    PeerOption{"--rdzv-id", refused, one_command},
    PeerOption{"--rdzv-conf", refused, one_command},
    PeerOption{"--rdzv_backend", refused, one_command},
    PeerOption{"--rdzv_endpoint", refused, one_command},
    PeerOption{"--rdzv_id", refused, one_command},
    PeerOption{"--master-addr", refused, one_command},
    PeerOption{"--master_addr", refused, one_command},
    PeerOption{"--master-port", refused, "wanted --env MASTER_PORT=N; one is chosen otherwise"},
    PeerOption{"--master_port", refused, "wanted --env MASTER_PORT=N; one is chosen otherwise"},
};

// "-N2".
bool has_number_attached(std::string_view name) {
  return name.size() > 2 && name[0] == '-' && name[1] != '-' &&
         std::ranges::all_of(name.substr(2), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

const PeerOption* find_peer_option(std::string_view name) {
  const auto found = std::ranges::find(peers, name, &PeerOption::name);
  if (found != peers.end()) return &*found;
  if (!has_number_attached(name)) return nullptr;
  const PeerOption* letter = find_peer_option(name.substr(0, 2));
  return letter != nullptr && letter->kind == refused ? letter : nullptr;
}

}  // namespace adarun::cli
