// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/loss_word.h"

#include <algorithm>
#include <array>
#include <utility>

#include "monitor/base/text.h"

namespace adarun::monitor {
namespace {

// In the order of their names.
constexpr std::array<std::pair<std::string_view, LossWord>, 69> named_words{{
    {"act_loss", LossWord::policy_loss},
    {"actor_loss", LossWord::policy_loss},
    {"average", LossWord::average},
    {"avg", LossWord::average},
    {"avg_epoch_loss", LossWord::training_loss},
    {"avr_loss", LossWord::training_loss},
    {"batch", LossWord::step},
    {"batch_idx", LossWord::step},
    {"crossentropyloss", LossWord::training_loss},
    {"cur_iter", LossWord::step},
    {"curr_iter", LossWord::step},
    {"current_step", LossWord::global_step},
    {"current_steps", LossWord::global_step},
    {"epoch", LossWord::epoch},
    {"eval", LossWord::validation},
    {"eval_loss", LossWord::validation_loss},
    {"evaluating", LossWord::validation},
    {"evaluation", LossWord::validation},
    {"global_iter", LossWord::step},
    {"global_step", LossWord::global_step},
    {"global_steps", LossWord::global_step},
    {"gpt_loss", LossWord::policy_loss},
    {"iter", LossWord::step},
    {"iter_num", LossWord::step},
    {"iteration", LossWord::step},
    {"iters", LossWord::step},
    {"itr", LossWord::step},
    {"lm_loss", LossWord::loss_in_step},
    {"logging_writer", LossWord::writer},
    {"loss", LossWord::loss},
    {"loss_d", LossWord::training_loss},
    {"loss_step", LossWord::training_loss},
    {"max_steps", LossWord::steps_of_run},
    {"niter", LossWord::step},
    {"num_updates", LossWord::step},
    {"pg_loss", LossWord::policy_loss},
    {"policy_loss", LossWord::policy_loss},
    {"preference_loss", LossWord::policy_loss},
    {"reduced_train_loss", LossWord::training_loss},
    {"step", LossWord::step},
    {"step_loss", LossWord::training_loss},
    {"steps", LossWord::steps},
    {"test", LossWord::validation},
    {"test_loss", LossWord::validation_loss},
    {"test_loss_epoch", LossWord::validation_loss},
    {"testing", LossWord::validation},
    {"total_loss", LossWord::loss_in_step},
    {"total_steps", LossWord::steps_of_run},
    {"train", LossWord::training},
    {"train_iter", LossWord::step},
    {"train_loss", LossWord::training_loss},
    {"train_loss_step", LossWord::training_loss},
    {"train_num_updates", LossWord::step},
    {"train_runtime", LossWord::average},
    {"train_step", LossWord::step},
    {"training", LossWord::training},
    {"training_loss", LossWord::training_loss},
    {"training_step", LossWord::step},
    {"trainoutput", LossWord::average},
    {"val", LossWord::validation},
    {"val_loss", LossWord::validation_loss},
    {"val_loss_epoch", LossWord::validation_loss},
    {"valid", LossWord::validation},
    {"valid_loss", LossWord::validation_loss},
    {"valid_loss_epoch", LossWord::validation_loss},
    {"valid_num_updates", LossWord::step},
    {"validating", LossWord::validation},
    {"validation", LossWord::validation},
    {"validation_loss", LossWord::validation_loss},
}};

static_assert(std::ranges::is_sorted(named_words, {}, [](const auto& named) { return named.first; }));

}  // namespace

LossWord loss_word(std::string_view word) {
  const auto before = [](char a, char b) { return lower(a) < lower(b); };
  const auto* found =
      std::lower_bound(named_words.begin(), named_words.end(), word, [&](const auto& named, auto sought) {
        return std::lexicographical_compare(named.first.begin(), named.first.end(), sought.begin(),
                                            sought.end(), before);
      });
  return found != named_words.end() && same_word(word, found->first) ? found->second : LossWord::other;
}

}  // namespace adarun::monitor
