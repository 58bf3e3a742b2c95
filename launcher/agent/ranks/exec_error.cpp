// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/exec_error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "launcher/agent/base/error.h"
#include "launcher/protocol/process_limits.h"

namespace adarun::launcher::agent {
namespace {

std::string quoted(const std::string& text) {
  return '"' + text + '"';
}

std::string path_of(const Program& program) {
  const std::string& name = program.argv.front();
  const bool relative = !name.starts_with('/') && !program.workdir.empty();
  return relative ? program.workdir + '/' + name : name;
}

bool exists(const Program& program) {
  return ::access(path_of(program).c_str(), F_OK) == 0;
}

bool is_folder(const Program& program) {
  struct stat facts {};
  return ::stat(path_of(program).c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

// Up to as many bytes as the kernel reads.
std::string first_line_of(const Program& program) {
  const base::FileDescriptor file(::open(path_of(program).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, 256> bytes{};
  const ssize_t size = ::read(file.get(), bytes.data(), bytes.size());
  const std::string_view text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return std::string(text.substr(0, text.find('\n')));
}

// A hint for a script whose first line is `line`; "" for other programs.
std::string about_interpreter(std::string line) {
  if (!line.starts_with("#!")) return "";
  if (!line.ends_with('\r')) return " (" + line + ')';
  line.pop_back();
  return " (" + line +
         ", and a carriage return behind it: its lines end as on Windows; sed -i 's/\\r$//' mends it)";
}

std::string place(const Program& program) {
  const std::string& name = program.argv.front();
  if (name.find('/') == std::string::npos) return " (looked up in PATH)";
  if (name.starts_with('/') || program.workdir.empty()) return {};
  return " (in " + quoted(program.workdir) + ')';
}

bool is_assignment(const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  return name.size() < word.size() && !name.empty() &&
         (std::isdigit(static_cast<unsigned char>(name[0])) == 0) &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// What to type instead of a program that PATH does not have; "" where nothing is known.
std::string instead_of(const Program& program) {
  const std::string& name = program.argv.front();
  if (is_assignment(name)) return " (a variable goes before the program: --env " + name + ')';
  if (name.find(' ') != std::string::npos)
    return " (one word with blanks: a line for a shell is sh -c '...')";
  if (name.find('/') != std::string::npos || !exists(program)) return "";
  if (is_folder(program)) return " (" + name + " in the ranks' folder is a folder itself)";
  if (name.ends_with(".py")) return " (" + name + " is in the ranks' folder: python3 " + name + ')';
  return " (" + name + " is in the ranks' folder: ./" + name + ')';
}

protocol::Failed explain_execute(const std::string& who, const Program& program, int error) {
  const std::string what = who + quoted(program.argv.front()) + place(program) + ": ";
  const bool missing = error == ENOENT || error == ENOTDIR;
  const bool has_place = program.argv.front().find('/') != std::string::npos;
  if (missing && has_place && exists(program))
    return {protocol::StartFailure::not_executable,
            what + "the interpreter or loader that it names is not there" +
                about_interpreter(first_line_of(program))};
  if (missing)
    return {protocol::StartFailure::not_found, what + base::system_text(error) + instead_of(program)};
  if (error == ENOEXEC)
    return {protocol::StartFailure::not_executable,
            what + base::system_text(error) + " (a script without a #! line?)"};
  if (error == E2BIG || error == ENOMEM || error == EAGAIN)
    return {protocol::StartFailure::could_not_start, what + base::system_text(error)};
  if (error == EACCES && has_place && is_folder(program))
    return {protocol::StartFailure::not_executable, what + "is a folder, wanted a program"};
  const bool is_python = program.argv.front().ends_with(".py");
  const char* hint = error != EACCES ? ""
                     : is_python     ? " (python3 FILE, or chmod +x)"
                                     : " (is it executable? chmod +x)";
  return {protocol::StartFailure::not_executable, what + base::system_text(error) + hint};
}

protocol::StartFailure failure_of(const ExecError& exec_error) {
  if (exec_error.step == SpawnStep::workdir) return failure_of_path(exec_error.error);
  const bool is_refusal = exec_error.step == SpawnStep::bind || exec_error.step == SpawnStep::limit;
  return is_refusal ? protocol::StartFailure::refused : protocol::StartFailure::could_not_start;
}

std::string thing_of(const Program& program, const ExecError& exec_error) {
  if (exec_error.step == SpawnStep::workdir) return "folder " + quoted(program.workdir);
  if (exec_error.step == SpawnStep::bind) return "CPUs to bind it to";
  if (exec_error.step == SpawnStep::limit) return "--ulimit " + protocol::name_of_limit(exec_error.resource);
  return "its descriptors";
}

}  // namespace

std::optional<ExecError> take_exec_error(base::FileDescriptor& report, bool& ready) {
  constexpr auto whole = static_cast<ssize_t>(sizeof(ExecError));
  ExecError exec_error;
  ssize_t size = 0;
  while ((size = ::read(report.get(), &exec_error, sizeof exec_error)) == whole &&
         exec_error.step == SpawnStep::ready)
    ready = true;
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  report.reset();
  return size == whole ? std::optional(exec_error) : std::nullopt;
}

protocol::Failed explain(const std::string& who, const Program& program, const ExecError& exec_error) {
  if (exec_error.step == SpawnStep::execute) return explain_execute(who, program, exec_error.error);
  const char* hint =
      exec_error.step == SpawnStep::workdir ? " (ranks start in this one: --workdir names another)" : "";
  return {failure_of(exec_error),
          who + thing_of(program, exec_error) + ": " + base::system_text(exec_error.error) + hint};
}

}  // namespace adarun::launcher::agent
