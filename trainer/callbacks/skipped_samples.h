// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "base/clean_text.h"
#include "trainer/base/log_lines.h"
#include "trainer/callbacks/callback.h"
#include "trainer/data/datasets/tolerant.h"

namespace adarun::trainer {

/// Prints which samples of a data set were corrupt and skipped, a line each, whatever is in names of files.
/// The data set must outlive it.
class SkippedSamples : public Callback {
 public:
  SkippedSamples(Print print, Tolerant& dataset) : print_(std::move(print)), dataset_(dataset) {}

  void step_end(const Progress& /*progress*/) override { show(); }
  void epoch_end(const Progress& /*last*/) override { show(); }

 private:
  void show() {
    for (const std::string& finding : dataset_.take_findings()) print_(base::clean_line(finding));
  }

  Print print_;
  Tolerant& dataset_;
};

}  // namespace adarun::trainer
