// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::manual {

/// Escapes `text` so that roff prints it unchanged, within a line.
std::string roff_text(const std::string& text);

/// `text`, escaped, in bold or italics.
std::string roff_bold(const std::string& text);
std::string roff_italic(const std::string& text);

/// A paragraph of help text as roff: lines that begin with blanks are kept as they are, others are filled.
std::string roff_paragraph(const std::vector<std::string>& lines);

}  // namespace adarun::manual
