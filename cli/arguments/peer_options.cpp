// SPDX-License-Identifier: Apache-2.0
//
// Sources: mpirun(1) of Open MPI 4.1, "mpiexec -help" of MPICH 4.0 (Hydra), "horovodrun --help", torchrun's
// and msrun's pages of PyTorch 2 and MindSpore 2.3, srun(1) of Slurm 22.05, docker-run(1).
#include "cli/arguments/peer_options.h"

#include <array>
#include <utility>

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

// Each with all its names, and blanks between them.
constexpr std::array peers{
    // How many ranks, and where.
    PeerOption{"-np --np --n --num-proc --ntasks --worker_num", synonym, "-n"},
    PeerOption{"-c", refused, "mpirun's -c is -n here, srun's is --bind numa"},
    PeerOption{"-N", refused, "mpirun's -N is --nproc-per-node here, srun's is --nnodes"},
    PeerOption{"-npernode --npernode -ppn --ppn --nproc_per_node --ntasks-per-node "
               "--local_worker_num",
               synonym, "--nproc-per-node"},
    PeerOption{"-pernode --pernode", refused, "wanted --nproc-per-node 1"},
    PeerOption{"--gpus-per-node --gpus -G --gres", refused, slots_of_list},
    PeerOption{"--replicas", refused, "wanted -n N"},
    PeerOption{"--gpus-per-task", refused, "a rank has one device, whose number is in DEVICE_ID"},
    PeerOption{"--min-np --max-np --host-discovery-script", refused, change_of_nodes},
    PeerOption{"--nodes", refused, "wanted --nnodes N, or the nodes by name: --hosts node[1-4]:8"},
    PeerOption{"-host --host -hosts -hostfile --hostfile -machinefile --machinefile -f -w "
               "--nodelist --host-file --default-hostfile -F --nodefile",
               synonym, "--hosts"},
    PeerOption{"--rank_table_file", synonym, "--rank-table"},
    PeerOption{"-rf --rankfile --map-by -map-by --rank-by --distribution", refused, order_of_ranks},
    PeerOption{"--bind-to -bind-to", synonym, "--bind"},
    PeerOption{"--cpu-bind", refused, "wanted --bind core|numa|none"},
    PeerOption{"--bind_core", refused, "wanted --bind core"},
    PeerOption{"--cpus-per-task", refused,
               "wanted --bind numa, which also sets OMP_NUM_THREADS to a rank's share"},
    PeerOption{"--report-bindings", refused, "wanted -v"},
    PeerOption{"--display-map --display-allocation", refused,
               "wanted --dry-run, which starts nothing, or -v"},
    PeerOption{"--do-not-launch", synonym, "--dry-run"},
    PeerOption{"--partition --account --jobid -A --qos --constraint -C --reservation --exclusive "
               "--mem --mem-per-cpu",
               refused, from_scheduler},
    PeerOption{"-p", refused, "horovodrun's -p is --port here; for srun's, ask salloc or sbatch for nodes"},
    // What they run.
    PeerOption{"-m", refused, "wanted python3 -m MODULE as the program (torchrun's -m)"},
    PeerOption{"--module", refused, "wanted python3 -m MODULE as the program"},
    PeerOption{"--no-python --no_python --use-env --use_env --allow-run-as-root -allow-run-as-root "
               "--oversubscribe -oversubscribe --nooversubscribe -nooversubscribe --overcommit -O "
               "--overlap -K --kill-on-bad-exit -u --unbuffered",
               needless, ""},
    PeerOption{"--role --app --multi-prog", refused, by_roles},
    PeerOption{"--prefix", refused, "not needed: adarun brings its agent to the nodes"},
    PeerOption{"--preload-files --bcast --preload-binary", refused, "wanted --stage FILE"},
    PeerOption{"--volume --mount", refused, files_of_nodes},
    PeerOption{"--rm", refused, "not needed: adarun prune removes the log folders of jobs that have ended"},
    // What ranks find.
    PeerOption{"-e", synonym, "--env"},
    PeerOption{"--export", refused, "wanted --env NAME or --env NAME=VALUE, once for each; --env-file FILE"},
    PeerOption{"-genv -env", variable, ""},
    PeerOption{"-genvall -envall", refused, "wanted --env NAME, once for each, or --env-file FILE"},
    PeerOption{"-mca --mca", variable, "OMPI_MCA_"},
    PeerOption{"-genvlist", refused, "wanted --env NAME, once for each"},
    PeerOption{"-wdir --wdir -wd --wd --chdir -D", synonym, "--workdir"},
    PeerOption{"--propagate", refused, "wanted --ulimit NAME=VALUE"},
    PeerOption{"--network-interface --network-interfaces", refused, first_interface},
    PeerOption{"--gloo", refused,
               "leave it out: Horovod's Gloo works under horovodrun alone, here Horovod uses MPI"},
    PeerOption{"-stdin", synonym, "--stdin"},
    PeerOption{"--input", refused, "wanted --stdin 0|all|none, and < FILE"},
    PeerOption{"-it --interactive --tty --pty", refused, no_terminal},
    PeerOption{"-i", refused, "horovodrun's -i is --identity here; --stdin 0 passes stdin on to rank 0"},
    // What becomes of their output, and of the job.
    PeerOption{"--output-filename -output-filename --log_dir", synonym, "--log-dir"},
    PeerOption{"--tail", refused,
               "wanted --show RANKS (--tail of adarun logs and attach is a number of lines)"},
    PeerOption{"-l --label -prepend-rank -tag-output", synonym, "--tag-output"},
    PeerOption{"--timestamp-output", refused,
               "not needed: adarun logs --merge and --since know the time of a line"},
    PeerOption{"--output -o --error", refused, output_files},
    PeerOption{"--tee --redirects", refused, files_of_ranks},
    PeerOption{"--local-ranks-filter --local_ranks_filter", refused, "wanted --show RANKS"},
    PeerOption{"--tail_worker_log", synonym, "--show"},
    PeerOption{"-quiet -Q", synonym, "--quiet"},
    PeerOption{"-J --job-name", synonym, "--name"},
    PeerOption{"-d --background", synonym, "--detach"},
    PeerOption{"--max-restarts --max_restarts", synonym, "--restarts"},
    PeerOption{"--start-timeout --cluster_time_out", synonym, "--connect-timeout"},
    PeerOption{"--time", refused, "wanted --timeout 30m"},
    PeerOption{"-t", refused,
               "srun's -t is --timeout 30m here; torchrun's is not needed: log_output/ has all"},
    PeerOption{"--ssh-port", synonym, "--port"},
    PeerOption{"--ssh-identity-file", synonym, "--identity"},
    // What is so anyway.
    PeerOption{"--monitor-interval --monitor_interval", refused, learns_at_once},
    PeerOption{"--node-rank --node_rank --rdzv-backend --rdzv-endpoint --rdzv-id --rdzv-conf "
               "--rdzv_backend --rdzv_endpoint --rdzv_id --master-addr --master_addr",
               refused, one_command},
    PeerOption{"--join", refused, "not needed: adarun waits for all ranks, and says which one failed first"},
    PeerOption{"--master-port --master_port", refused, "wanted --env MASTER_PORT=N; one is chosen otherwise"},
};

// Words of other tools for commands: ours, then theirs.
constexpr std::pair<std::string_view, std::string_view> commands[] = {
    {"launch", "run exec srun mpirun mpiexec torchrun"},
    {"stop", "kill cancel scancel delete"},
    {"prune", "rm clean"},
    {"ps", "list ls jobs squeue get"},
    {"status", "inspect describe"},
    {"monitor", "top stats"},
    {"ranktable gen", "gen"},
    {"ranktable merge", "merge"},
    {"ranktable validate", "validate"},
    {"ranktable convert", "convert"},
    {"ranktable diff", "diff"},
    {"ranktable subset", "subset"},
};

// Whether a list with blanks between has this word.
bool has_word(std::string_view list, std::string_view word) {
  const std::size_t at = (" " + std::string(list) + " ").find(" " + std::string(word) + " ");
  return at != std::string::npos && word.find(' ') == std::string_view::npos;
}

// "-N2".
bool has_number_attached(std::string_view name) {
  return name.size() > 2 && name[0] == '-' && name[1] != '-' &&
         name.find_first_not_of("0123456789", 2) == std::string_view::npos;
}

}  // namespace

std::optional<PeerOption> find_peer_option(std::string_view name) {
  for (const PeerOption& each : peers)
    if (has_word(each.name, name)) return PeerOption{name, each.kind, each.own};
  if (!has_number_attached(name)) return std::nullopt;
  const auto letter = find_peer_option(name.substr(0, 2));
  return letter && letter->kind == refused ? letter : std::nullopt;
}

std::string own_command_for(std::string_view word) {
  for (const auto& [own, theirs] : commands)
    if (has_word(theirs, word)) return std::string(own);
  return {};
}

}  // namespace adarun::cli
