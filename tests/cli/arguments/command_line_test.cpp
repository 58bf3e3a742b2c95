// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/command_line.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "cli/arguments/command.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

std::vector<std::string> words_in(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

/// The words of ours, "|" and those of the program; for refused words the message.
template <typename Take>
std::string shown(Take take) {
  try {
    const CommandLine line = take();
    std::string text;
    for (const std::string& word : line.own) text += word + " ";
    text += "|";
    for (const std::string& word : line.trailing) text += " " + word;
    return text;
  } catch (const ExitError& error) {
    EXPECT_EQ(error.status(), exit_usage);
    return error.what();
  }
}

/// A program with some commands and options of ours.
class TakeApart : public testing::Test {
 protected:
  TakeApart() {
    app_.add_flag("-v,--verbose", flag_);
    app_.fallthrough();
    for (const char* name : {"launch", "train"}) {
      CLI::App* command = app_.add_subcommand(name, "");
      for (const char* option : {"-n,--ranks", "-H,--hosts", "-x,--exclude", "--env", "--workdir", "--bind",
                                 "--mpi", "--via", "-r,--rank-table", "--name", "--log-dir"})
        command->add_option(option, text_);
      command->add_flag("--tag-output", flag_);
      command->add_flag("-q,--quiet", flag_);
    }
    app_.add_subcommand("ps", "");
    app_.add_subcommand("stop", "")->add_option("job", text_);
    for (const char* name : {"check", "gen"}) {
      CLI::App* command = app_.add_subcommand(name, "");
      for (const char* option : {"-H,--hosts", "-x,--exclude", "--workdir"})
        command->add_option(option, text_);
    }
  }

  std::string said_if_not_found(const std::vector<std::string>& words) const {
    return take_apart(app_, words).if_not_found;
  }

  std::string taken(const std::vector<std::string>& words) const {
    return shown([&] { return take_apart(app_, words); });
  }
  std::string taken(const std::string& line) const { return taken(words_in(line)); }

 private:
  CLI::App app_{"", "adarun"};
  std::string text_;
  bool flag_ = false;
};

TEST_F(TakeApart, SaysWhatIsOursAndWhatIsTheProgramsOrWhyNot) {
  const std::pair<const char*, const char*> cases[] = {
      // Finds the program.
      {"launch -H a:2 -- ./x -n 4 [1,2] -- y", "launch -H a:2 | ./x -n 4 [1,2] -- y"},
      {"launch -H a:2 ./x -n 4 [1,2]", "launch -H a:2 | ./x -n 4 [1,2]"},
      {"launch -H=a:2 -vv --tag-output --verbose x", "launch -H=a:2 -vv --tag-output --verbose | x"},
      {"-v launch -Ha:2 x", "-v launch -Ha:2 | x"},
      {"launch --nonsense x", "launch --nonsense | x"},
      {"launch --hosts", "launch --hosts |"},
      {"launch --hosts -- x", "launch --hosts | x"},
      {"train x -- --lr 1", "train x | --lr 1"},
      {"ps launch", "ps launch |"},
      {"", "|"},
      // Refuses a word before dashes.
      {"launch node1 node2 -- ./x",
       "launch: \"node1\": a word before --; hosts go behind --hosts, the program behind --"},
      {"launch node1 -- ./x -vv",
       "launch: \"node1\": a word before --; hosts go behind --hosts, the program behind --"},
      {"launch --nosuch node1 -- ./x", "launch --nosuch | node1 -- ./x"},
      {"launch --hostfile h node1 -- ./x",
       "launch: \"node1\": a word before --; hosts go behind --hosts, the program behind --"},
      {"launch -y node1 -- ./x", "launch -y | node1 -- ./x"},
      // Reads several programs as mpirun has them.
      {"launch -np 1 ./a : -np 3 ./b", "launch --ranks 4 --role app0=0 | ./a --role app1=1-3 -- ./b"},
      {"launch ./a : ./b",
       "\":\": no -n before the first program: wanted -n N and a program on each side, as in -n 1 "
       "./server : -n 3 ./worker; a program with such a word has -- before it"},
      {"launch -- ./a : b", "launch | ./a : b"},
      // Replaces what other launchers call otherwise.
      {"launch -np 4 --hostfile h -wdir /a x", "launch -n 4 --hosts h --workdir /a | x"},
      {"train --nodelist=a:2 --bind-to=core -- x", "train --hosts a:2 --bind core | x"},
      {"launch --mca btl tcp,self -genv A 1 x", "launch --env OMPI_MCA_btl=tcp,self --env A=1 | x"},
      {"launch -genv A=1 -env B 2 x", "launch --env A=1 --env B=2 | x"},
      {"launch --allow-run-as-root -l -np 2 -e A x", "launch --tag-output -n 2 --env A | x"},
      {"launch -K -u --overlap --no-python -F h --wd /a x", "launch --hosts h --workdir /a | x"},
      {"launch -d2 x", "launch -d2 | x"},
      {"launch -x LD_PATH=/a -x node3 x", "launch --env LD_PATH=/a -x node3 | x"},
      {"launch -x LD_PATH -x NODE3 -x node_3 x", "launch --env LD_PATH -x NODE3 -x node_3 | x"},
      {"launch --kill-on-bad-exit=1 x", "launch | x"},
      {"launch --kill-on-bad-exit=0 x",
       "--kill-on-bad-exit=0: the first rank that fails ends the job, unless --min-ranks N"},
      // Reads of a line of launch what other commands know.
      {"check -np 4 --hostfile h -x A_B=1 --mca btl tcp --env=X --tag-output ./x -n 2",
       "check --hosts h | ./x -n 2"},
      {"gen -H a:8 --env X=1 --bind core -- ./x", "gen -H a:8 |"},
      {"gen x", "gen x |"},
      {"gen -H a:8 -n 4", "gen -H a:8 -n 4 |"},
      {"stop --name --now", "--name: wanted a job behind it (a variable that is not set?)"},
      {"stop --log-dir", "--log-dir: wanted a job behind it (a variable that is not set?)"},
      {"stop --name=", "--name: wanted a job behind it (a variable that is not set?)"},
      {"stop --name run7", "stop run7 |"},
      {"stop --log-dir=out", "stop out |"},
      // Takes options that have no value there.
      {"launch --mpi -np 4 x", "launch --mpi=on -n 4 | x"},
      {"launch --mpi -- x", "launch --mpi=on | x"},
      {"launch --mpi off x", "launch --mpi off | x"},
      {"launch --mpi=auto -np 4 x", "launch --mpi=auto -n 4 | x"},
      // Leaves words alone that are values or of other commands.
      {"launch --env -np -- x", "launch --env -np | x"},
      {"launch x -np 4", "launch | x -np 4"},
      {"ps -np", "ps -np |"},
      // Says what to type instead of what has no meaning.
      {"launch -N 2 x", "-N: mpirun's -N is --nproc-per-node here, srun's is --nnodes"},
      {"launch --rdzv-endpoint=a:29500 x",
       "--rdzv-endpoint: not needed: one command starts the ranks of all nodes, and gives them MASTER_ADDR "
       "and MASTER_PORT"},
      {"launch --mca btl", "--mca: wanted a name and a value behind it"},
      {"launch -N2 -n16 x", "-N: mpirun's -N is --nproc-per-node here, srun's is --nnodes"},
      {"launch --rm -n 2 x",
       "--rm: not needed: adarun prune removes the log folders of jobs that have ended"},
      {"launch -v /data:/data x",
       "-v: is --verbose here; docker's -v is not needed: ranks see the files of their node, --stage FILE "
       "brings more"},
      {"launch -v ./x:1", "launch -v | ./x:1"},
      {"launch -G8 x", "-G: ranks of a node are counted in the list (node[1-4]:8) or by --nproc-per-node 8"},
      {"launch -m train", "-m: wanted python3 -m MODULE as the program (torchrun's -m)"},
      {"launch --pty bash",
       "--pty: ranks have no terminal to read from; --stdin 0 passes stdin on to rank 0"},
      // Knows help and version as commands.
      {"help", "--help |"},
      {"help launch", "launch --help |"},
      {"help nonsense", "nonsense |"},
      {"version", "--version |"},
  };
  for (const auto& [line, wanted] : cases) EXPECT_EQ(taken(line), wanted) << line;
}

TEST_F(TakeApart, RefusesAnEmptyWord) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"launch", "--hosts", "", "x"}, "--hosts: its value"},
      {{"launch", "--hosts=", "x"}, "--hosts: its value"},
      {{"launch", "-r", "", "--", "x"}, "-r: its value"},
      {{"train", "--hostfile", ""}, "--hostfile: its value"},
      {{"train", "--hostfile="}, "--hostfile: its value"},
      {{"launch", "--log-dir", "", "x"}, "--log-dir: its value"},
      {{"check", "-H", ""}, "-H: its value"},
      {{"ps", ""}, "ps: an argument"},
      {{"", "ps"}, "adarun: an argument"},
      {{"launch", "", "--", "x"}, "launch: an argument"},
  };
  for (const auto& [words, what] : cases)
    EXPECT_EQ(taken(words), std::string(what) + " is an empty word (a variable that is not set?)");
  const std::vector<std::string> program{"check", ""};
  EXPECT_EQ(taken(program), "check | ") << "its command refuses it";
  const std::vector<std::string> job{"stop", ""};
  EXPECT_EQ(taken(job), "stop  |") << "its command refuses it";
  EXPECT_EQ(taken("launch --env A= x"), "launch --env A= | x");
}

TEST_F(TakeApart, PassesOnAVariableThatIsSetHere) {
  for (const char* name : {"CAPITALSOFTEST", "test_proxy", "wordoftest"}) setenv(name, "1", 1);
  EXPECT_EQ(taken("launch -x CAPITALSOFTEST -x test_proxy x"),
            "launch --env CAPITALSOFTEST --env test_proxy | x");
  EXPECT_EQ(taken("launch -x wordoftest --exclude CAPITALSOFTEST x"),
            "launch -x wordoftest --exclude CAPITALSOFTEST | x");
  for (const char* name : {"CAPITALSOFTEST", "test_proxy", "wordoftest"}) unsetenv(name);
  EXPECT_EQ(taken("launch -x CAPITALSOFTEST x"), "launch -x CAPITALSOFTEST | x");
}

TEST_F(TakeApart, RefusesValuesThatOnlyAnotherLauncherTakes) {
  const std::string logs =
      "no NAME=VALUE, which -e has here; for srun's -e, wanted --log-dir DIR, which gets a "
      "worker_<rank>.log of each rank";
  EXPECT_EQ(taken("launch -e err-%t x"), "-e: \"err-%t\": " + logs);
  EXPECT_EQ(taken("launch -e=logs/err x"), "-e: \"logs/err\": " + logs);
  EXPECT_EQ(taken("launch -e A=%t -e _b2 -- x"), "launch --env A=%t --env _b2 | x");
  EXPECT_EQ(taken("launch --env err-%t x"), "launch --env err-%t | x");
  const std::string redirects =
      "is here; torchrun's -r is not needed: what ranks print is in log_output/worker_<rank>.log (--log-dir "
      "DIR)";
  EXPECT_EQ(taken("launch -n 2 -r 3 x"), "-r: no rank table \"3\" " + redirects);
  EXPECT_EQ(taken("train -r0"), "-r: no rank table \"0\" " + redirects);
  EXPECT_EQ(taken("launch -r=1 x"), "-r: no rank table \"1\" " + redirects);
  EXPECT_EQ(taken("launch -r 4 x"), "launch -r 4 | x");
  const std::string served =
      "not needed: PMIx and PMI are there for programs that use them; --mpi on wants PMIx on each node";
  EXPECT_EQ(taken("launch --mpi=pmix x"), "--mpi: \"pmix\": " + served);
  EXPECT_EQ(taken("train --mpi pmi2"), "--mpi: \"pmi2\": " + served);
  EXPECT_EQ(taken("launch -r t.json x -r 3"), "launch -r t.json | x -r 3");
}

TEST_F(TakeApart, TakesAFileOfTheNameThatIsThere) {
  const test::ScratchFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  folder.write("3", "{}");
  EXPECT_EQ(taken("launch -r 3 x"), "launch -r 3 | x");
  std::filesystem::current_path(before);
}

TEST_F(TakeApart, SaysWhatSrunWouldNotTakeForTheProgram) {
  EXPECT_EQ(
      said_if_not_found({"launch", "-n", "2", "-q", "debug", "./x"}),
      "-q is --quiet here, and \"debug\" behind it the program; for srun's -q, ask salloc or sbatch for "
      "nodes");
  EXPECT_EQ(said_if_not_found({"launch", "-q", "-n", "2", "debug"}), "");
  EXPECT_EQ(said_if_not_found({"launch", "-q", "--", "debug"}), "");
  EXPECT_EQ(said_if_not_found({"launch", "--quiet", "debug"}), "");
  EXPECT_EQ(said_if_not_found({"launch", "-q"}), "");
  EXPECT_EQ(said_if_not_found({"launch", "-q", "sh", "-c", "no_such_program"}), "");
}

// As shown(); of a refusal only what was found.
std::string written_with_roles(const std::string& own, const std::string& trailing) {
  const std::string text = shown([&] { return with_roles({words_in(own), words_in(trailing)}); });
  return text.substr(0, text.find(": wanted -n N and a program on each side"));
}

TEST(ColonPrograms, AreRolesOfConsecutiveRanks) {
  EXPECT_EQ(written_with_roles("launch -n 1 --hosts a:8", "./a -x : -n 3 ./b : -np 2 ./c -n 4"),
            "launch --hosts a:8 --ranks 6 --role app0=0 | ./a -x --role app1=1-3 -- ./b --role app2=4-5 -- "
            "./c -n 4");
  EXPECT_EQ(written_with_roles("launch --ranks 2", "a : --ranks 1 b"),
            "launch --ranks 3 --role app0=0-1 | a --role app1=2 -- b");
  for (const std::string count : {"-n2", "-n=2", "--ranks=2", "-np 2"})
    EXPECT_EQ(written_with_roles("launch " + count, "a : -n 1 b"),
              "launch --ranks 3 --role app0=0-1 | a --role app1=2 -- b");
}

TEST(ColonPrograms, AreSeenByTheirColon) {
  EXPECT_TRUE(has_colon_programs({{"launch"}, {"a", ":", "b"}}));
  EXPECT_FALSE(has_colon_programs({{"launch"}, {"a:", "b"}}));
}

TEST(ColonPrograms, WantACountEach) {
  const struct {
    const char* own;
    const char* trailing;
    const char* found;
  } cases[] = {
      {"launch", "a : -n 1 b", "no -n before the first program"},
      {"launch -n", "a : -n 1 b", "no -n before the first program"},
      {"launch -n x", "a : -n 1 b", "-n \"x\""},
      {"launch -n 1", "a : b", "\"b\" behind it"},
      {"launch -n 1", "a : -n", "\"-n\" behind it"},
      {"launch -n 1", "a : -n 0 b", "-n \"0\""},
      {"launch -n 1", "a : -n 1", "no program behind -n"},
      {"launch -n 1", "a : -n 1 -x A b", "\"-x\" before a program"},
      {"launch -n 1", "a :", "nothing behind it"},
      {"launch -n 1", ": -n 1 b", "nothing before it"},
  };
  for (const auto& each : cases)
    EXPECT_EQ(written_with_roles(each.own, each.trailing), std::string("\":\": ") + each.found);
}

}  // namespace

}  // namespace adarun::cli
