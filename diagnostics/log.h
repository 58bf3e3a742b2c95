// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace adarun::diagnostics {

/// How much something matters. Users choose by -q (errors), nothing (warnings as well), -v (info), -vv
/// (debug).
enum class Level {
  debug,    ///< For whoever looks for a fault.
  info,     ///< Each step, as -v has it.
  warning,  ///< Notices: what a user should know, and what goes on all the same.
  error,
};

/// What a program says beside its results: to people on the console, as much as they want to hear, and all of
/// it to a file of bounded size. Lines of the file are
///
///     2026-01-02T03:04:05.678Z debug   node1 the text
///
/// by UTC, with "-" for what is about no node, each cleaned (see base::clean_line), cut at 4 KiB, and in the
/// file as soon as it is written. What was said before the file was opened comes first. Any thread may write;
/// the rest is for one thread. Make it before a fork, and open the file behind it.
class Log {
 public:
  /// Takes a line for people, without its line break.
  using Console = std::function<void(const std::string& line)>;

  /// One file of the two that are kept, FILE and FILE.1 (adarun.log, adarun.1.log).
  static constexpr std::size_t file_bytes = std::size_t{8} << 20U;

  /// The console is stderr, where lines begin with "PROGRAM: ", and shows warnings and errors.
  explicit Log(const std::string& program);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// The console shows what matters so much or more.
  void show(Level least);
  bool shows(Level level) const;

  /// The console is this one from now on; stderr again where it is empty. Never called by two threads at
  /// once.
  void divert(Console console);

  /// Goes on in `file`, whose lines are kept. Throws nothing: where it cannot be written, now or later, that
  /// is said once on the console, as a warning, and there is no file.
  void open_file(const std::string& file, std::size_t most_bytes = file_bytes);

  /// This word stands as *** in the file from now on, unless it is too short to be a secret.
  void hide(std::string secret);

  /// `text` goes to the console cleaned, line by line; as one line if it is for debugging. `node` may be
  /// empty; on the console it stands before the text as "NODE: ".
  void write(Level level, std::string_view node, std::string_view text);

  void debug(std::string_view text) { write(Level::debug, "", text); }
  void info(std::string_view text) { write(Level::info, "", text); }
  void warning(std::string_view text) { write(Level::warning, "", text); }
  void error(std::string_view text) { write(Level::error, "", text); }

 private:
  struct Parts;

  std::unique_ptr<Parts> parts_;
};

/// Diverts a log's console for as long as it lives.
class Diversion {
 public:
  Diversion(Log& log, Log::Console console) : log_(log) { log_.divert(std::move(console)); }
  ~Diversion() { log_.divert(nullptr); }
  Diversion(const Diversion&) = delete;
  Diversion& operator=(const Diversion&) = delete;

 private:
  Log& log_;
};

}  // namespace adarun::diagnostics
