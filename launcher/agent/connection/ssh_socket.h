// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::launcher::agent {

/// Whether the kernel of the machine that an SSH connection comes from acknowledges what is sent there.
/// `ssh_connection` is sshd's variable SSH_CONNECTION, "CLIENT PORT SERVER PORT". False if no such connection
/// ends in this network namespace: it is another one's, as behind Slurm, or it is closed.
bool ssh_is_acknowledged(const std::string& ssh_connection);

}  // namespace adarun::launcher::agent
