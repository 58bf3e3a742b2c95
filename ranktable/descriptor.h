// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

namespace adarun::ranktable {

/// An open file, closed at the end. What open() gave, which may be -1.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (is_open()) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

}  // namespace adarun::ranktable
