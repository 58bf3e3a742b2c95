# SPDX-License-Identifier: Apache-2.0
"""Which file libadasum is. Here the loader of the system looks for it; a build folder has a file with its path in place of this."""
LIBRARY = "libadasum.so.0"
