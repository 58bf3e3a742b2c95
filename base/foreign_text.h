// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace adarun::base {

/// What a file is that was given in place of another, recognised by its content.
struct FileKind {
  std::string_view name;    ///< "a gzip archive"
  std::string_view advice;  ///< What to type; empty: nothing that is certain.
};

/// A kind that shows in the first bytes: an archive, a program, an image, text that is not UTF-8. Nothing if
/// there is no such sign.
std::optional<FileKind> binary_kind(std::string_view bytes);

/// A kind of text that other tools write: an object of Kubernetes, a playbook, an ssh_config, a page,
/// hccn.conf, slurm.conf, /etc/hosts, a log. Looks at the first 64 KiB alone. Nothing if it is not certain.
std::optional<FileKind> text_kind(std::string_view text);

/// Adds a code point of at most U+10FFFF in UTF-8.
void append_utf8(std::string& text, char32_t code);

/// The text of a file that a person wrote, in UTF-8: a byte order mark is removed, UTF-16 that begins with
/// one is decoded. What cannot be decoded becomes U+FFFD.
std::string in_utf8(std::string bytes);

}  // namespace adarun::base
