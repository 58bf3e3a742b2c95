// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace adarun::manual {

/// The group of the options that most people use. --help of a command that has such options shows these
/// alone, and the first examples; --help-all shows everything.
inline constexpr const char* everyday_group = "Everyday options";

/// What an option takes, as people write it: "N", "FILE", "auto|cpu|cuda".
std::string type_of(const CLI::Option& option);

/// How --help is printed: in 80 columns, with the descriptions of options beside them or, where their names
/// are long, below.
class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat();

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* app) const override;
};

/// `text` in lines of at most `width` characters, broken at blanks; those after the first begin with `indent`
/// blanks, which count. Longer words stay whole.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace adarun::manual
