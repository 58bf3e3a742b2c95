// SPDX-License-Identifier: Apache-2.0
#include "trainer/error.h"
#include "trainer/options/groups.h"

namespace adarun::trainer {
namespace {

const char* const examples = R"(Examples:
  adarun-trainer                                          alone, on digits that it draws itself
  adarun-trainer --dataset mnist --data-path DIR --eval   alone, on MNIST
  mpirun -n 16 adarun-trainer                             16 ranks, combined by AdaSum
  mpirun -n 4 adarun-trainer --adasum-world any           fewer than the 16 ranks that the rule asks for
  adarun train --hosts node[1-2]:8 -- --epochs 5          the same program on two nodes

Exit status: 0 done, 1 refused, 2 wrong usage, 3 could not do it.)";

/// What one option says must fit the others.
void check_together(const Options& options) {
  if (options.batch_size % options.micro_batches != 0) {
    throw Error("--batch-size " + std::to_string(options.batch_size) +
                    ": not a multiple of --micro-batches " + std::to_string(options.micro_batches),
                Exit::usage);
  }
}

}  // namespace

std::string options::plain_number(const std::string& text) {
  const bool plain = !text.empty() && (text.front() == '.' || (text.front() >= '0' && text.front() <= '9'));
  return plain ? "" : "\"" + text + "\": wanted a number from 0 on";
}

std::optional<Options> parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app("Trains a model on one or many ranks, with gradients combined by AdaSum.", "adarun-trainer");
  app.footer(examples);
  app.set_version_flag("--version", ADARUN_VERSION);
  options::add_job(app, options);
  options::add_data(app, options);
  options::add_learning(app, options);
  options::add_schedule(app, options);
  options::add_combining(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& shown) {
    app.exit(shown);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + " (see adarun-trainer --help)", Exit::usage);
  }
  check_together(options);
  return options;
}

}  // namespace adarun::trainer
