// SPDX-License-Identifier: Apache-2.0
#include "trainer/schedules/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trainer/base/named.h"

namespace adarun::trainer {
namespace {

double constant(double /*done*/) {
  return 1;
}
double linear(double done) {
  return 1 - done;
}
double poly(double done) {
  return (1 - done) * (1 - done);
}
double cosine(double done) {
  return (1 + std::cos(std::numbers::pi * done)) / 2;
}
double step(double done) {
  return done < 0.3 ? 1 : done < 0.6 ? 0.1 : done < 0.8 ? 0.01 : 0.001;
}

struct Entry {
  const char* name;
  double (*shape)(double done);
  bool has_end = false;  ///< It decreases to the schedule's `end`, not to 0.
};

const Entry table[] = {
    {"constant", constant},    //
    {"linear", linear, true},  //
    {"poly", poly},            //
    {"cosine", cosine, true},  //
    {"step", step},
};

}  // namespace

std::vector<std::string> schedule_names() {
  return names_in(table);
}

Schedule::Schedule(const ScheduleOptions& options, double peak, std::int64_t steps_per_epoch, int epochs)
    : start_(options.start),
      peak_(peak),
      warmup_steps_(options.warmup_epochs * static_cast<double>(steps_per_epoch)),
      steps_(static_cast<double>(steps_per_epoch) * epochs) {
  const Entry& entry = entry_named(table, "schedule", options.name);
  shape_ = entry.shape;
  end_ = entry.has_end ? options.end : 0;
}

double Schedule::rate(std::int64_t step) const {
  const auto at = static_cast<double>(step);
  if (at < warmup_steps_) return start_ + (peak_ - start_) * at / warmup_steps_;
  const double done = (at - warmup_steps_) / std::max(1.0, steps_ - warmup_steps_);
  return end_ + (peak_ - end_) * shape_(done);
}

}  // namespace adarun::trainer
