// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::cli {

/// What to say of an option of ours that has the name of another launcher's option, and a value that only
/// that one takes: `-e err-%t` of srun (here -e is --env), `-r 3` of torchrun (here -r is the rank table), if
/// no file has that name, `--mpi pmix` of srun, `-v /a:/b` of docker. Empty: nothing.
std::string misread_value(std::string_view name, const std::string& value);

/// What to say if the program, the first of `trailing`, is not found: that a word which srun takes as the
/// value of the option before it, the last of `own`, was the program here, and this
/// machine has no such program. Empty: nothing.
std::string misread_program(const std::vector<std::string>& own, const std::vector<std::string>& trailing);

}  // namespace adarun::cli
