// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/epoch_heading.h"

#include <algorithm>
#include <string>

#include "monitor/base/characters.h"
#include "monitor/parse/counted.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

bool has_word(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_word);
}

}  // namespace

std::optional<EpochLine> parse_epoch_line(std::string_view text) {
  std::string buffer;
  const std::string_view line = visible_text(text, buffer);
  Scan scan(line);
  const std::string_view word = scan.next_word();
  if (!same_word(word, "epoch") || has_word(line.substr(0, line.size() - scan.rest().size() - word.size())))
    return std::nullopt;
  const auto epoch = take_labelled(scan);
  if (!epoch || has_word(scan.rest())) return std::nullopt;
  return EpochLine{epoch->value, epoch->total};
}

void EpochHeading::begin(const EpochLine& line) {
  line_ = line;
  steps_.reset();
}

bool EpochHeading::complete(LossLine& line) {
  line.epoch = line_->epoch;
  line.epochs = line_->epochs;
  if (!line.steps_per_epoch) return true;
  if (!steps_) steps_ = line.steps_per_epoch;
  return steps_ == line.steps_per_epoch;
}

}  // namespace adarun::monitor
