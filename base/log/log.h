// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace adarun::base {

class OutputFolder;

/// Severity. Users choose what the console shows: -q (errors), by default (warnings too), -v (info), -vv
/// (debug).
enum class Level {
  debug,    ///< For finding faults.
  info,     ///< Each step.
  warning,  ///< What a user should know; the program continues.
  error,
};

/// The log of a program: to people on the console, filtered by level, and in full to a file of bounded size.
/// Lines of the file are
///
///     2026-01-02T03:04:05.678Z debug   node1 the text
///
/// in UTC, with "-" if the text concerns no node; each is cleaned (see clean_line()), cut at 4 KiB, and
/// written at once. What was logged before the file was opened comes first. Any thread may write; the rest is
/// for one thread. Construct it before a fork, and open the file after it.
class Log {
 public:
  /// Takes a line for the console, without its line break.
  using Console = std::function<void(const std::string& line)>;

  /// Most bytes in each of the two files that are kept, FILE and its predecessor (adarun.log, adarun.1.log).
  static constexpr std::size_t file_bytes = std::size_t{8} << 20U;

  /// At first the console is stderr, with lines that begin with "PROGRAM: ", and shows warnings and errors.
  explicit Log(const std::string& program);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// The console shows this level and above.
  void show(Level least);
  bool shows(Level level) const;

  /// Sends console lines to `console` from now on; to stderr again if it is empty. It is never called by two
  /// threads at once.
  void divert(Console console);

  /// Appends to `file` from now on. Does not throw: if the file cannot be written, now or later, or is a link
  /// or another user's, a warning is shown once on the console, and the log continues without a file.
  void open_file(const std::string& file, std::size_t most_bytes = file_bytes);

  /// The same for the file `name` of an opened folder, wherever that is moved.
  void open_file_in(const OutputFolder& folder, const std::string& name);

  /// Replaces this word by *** in the file from now on, unless it is too short (less than 4 bytes).
  void hide(std::string secret);

  /// `text` goes to the console cleaned: as one line at Level::debug or with a node, else line by line.
  /// `node` may be empty; else the console line begins with "NODE: ".
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
class LogRedirect {
 public:
  LogRedirect(Log& log, Log::Console console) : log_(log) { log_.divert(std::move(console)); }
  ~LogRedirect() { log_.divert(nullptr); }
  LogRedirect(const LogRedirect&) = delete;
  LogRedirect& operator=(const LogRedirect&) = delete;

 private:
  Log& log_;
};

}  // namespace adarun::base
