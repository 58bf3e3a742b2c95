// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/loss_word.h"

#include <array>
#include <cstddef>

#include "monitor/base/characters.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

struct NamedWord {
  std::string_view name;
  LossWord word;
};

// In the order of their first letters.
constexpr std::array<NamedWord, 41> named_words{{
    {"average", LossWord::average},
    {"avg", LossWord::average},
    {"batch", LossWord::step},
    {"epoch", LossWord::epoch},
    {"eval", LossWord::validation},
    {"eval_loss", LossWord::validation_loss},
    {"evaluating", LossWord::validation},
    {"evaluation", LossWord::validation},
    {"global_step", LossWord::global_step},
    {"iter", LossWord::step},
    {"iteration", LossWord::step},
    {"lm_loss", LossWord::loss_in_step},
    {"logging_writer", LossWord::writer},
    {"loss", LossWord::loss},
    {"loss_step", LossWord::training_loss},
    {"num_updates", LossWord::step},
    {"reduced_train_loss", LossWord::training_loss},
    {"step", LossWord::step},
    {"steps", LossWord::steps},
    {"test", LossWord::validation},
    {"test_loss", LossWord::validation_loss},
    {"test_loss_epoch", LossWord::validation_loss},
    {"testing", LossWord::validation},
    {"total_loss", LossWord::loss_in_step},
    {"train", LossWord::training},
    {"train_loss", LossWord::training_loss},
    {"train_loss_step", LossWord::training_loss},
    {"train_num_updates", LossWord::step},
    {"train_runtime", LossWord::average},
    {"training", LossWord::training},
    {"training_loss", LossWord::training_loss},
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

constexpr std::size_t letters = 'z' - 'a' + 1;

// Where the words with each first letter begin, and where the last ones end.
constexpr std::array<std::size_t, letters + 1> beginnings_of_words() {
  std::array<std::size_t, letters + 1> begins{};
  for (std::size_t i = 0; i < letters; ++i) {
    begins[i + 1] = begins[i];
    while (begins[i + 1] < named_words.size() &&
           named_words[begins[i + 1]].name[0] == static_cast<char>('a' + static_cast<char>(i)))
      ++begins[i + 1];
  }
  return begins;
}

constexpr std::array<std::size_t, letters + 1> begins = beginnings_of_words();
static_assert(begins[letters] == named_words.size());

}  // namespace

LossWord loss_word(std::string_view word) {
  const char first = word.empty() ? '_' : lower(word[0]);
  if (first < 'a' || first > 'z') return LossWord::other;
  const auto letter = static_cast<std::size_t>(first - 'a');
  for (std::size_t i = begins[letter]; i < begins[letter + 1]; ++i)
    if (same_word(word, named_words[i].name)) return named_words[i].word;
  return LossWord::other;
}

}  // namespace adarun::monitor
