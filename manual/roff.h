// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::manual {

/// `text` as roff prints it, byte for byte, within a line.
std::string roff_text(const std::string& text);

/// `text`, in bold or italics.
std::string roff_bold(const std::string& text);
std::string roff_italic(const std::string& text);

/// A piece of help as roff: lines that begin with blanks keep their form, others are filled.
std::string roff_paragraph(const std::vector<std::string>& lines);

}  // namespace adarun::manual
