// SPDX-License-Identifier: Apache-2.0
#include "tests/launcher/job/transcript.h"

#include <concepts>
#include <cstdlib>
#include <fstream>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/describe.h"
#include "base/overloaded.h"
#include "base/read_text.h"

namespace adarun::launcher {
namespace {

using std::chrono::milliseconds;

std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (const char each : text) result += each == '\n' ? std::string("\\n") : std::string(1, each);
  return result + '"';
}

std::string list_text(const auto& list, const auto& text_of) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : " ") + text_of(item);
  return "[" + text + "]";
}

std::string numbers(const std::vector<std::uint32_t>& list) {
  return list_text(list, [](std::uint32_t number) { return std::to_string(number); });
}

/// An archive that writes the fields of a message as text.
class FieldText {
 public:
  template <typename... T>
  void operator()(const T&... values) {
    ((text_ += " " + text_of(values)), ...);
  }
  const std::string& text() const { return text_; }

 private:
  static std::string text_of(bool value) { return value ? "yes" : "no"; }
  template <std::integral T>
  static std::string text_of(T value) {
    return std::to_string(value);
  }
  template <typename T>
  requires std::is_enum_v<T>
  static std::string text_of(T value) { return std::to_string(static_cast<int>(value)); }
  static std::string text_of(const std::string& text) { return in_quotes(text); }
  static std::string text_of(const protocol::BoundedText& brief) { return in_quotes(brief.text); }
  static std::string text_of(const protocol::Instant& instant) { return std::to_string(instant.ns); }
  template <typename T>
  static std::string text_of(const std::vector<T>& list) {
    return list_text(list, [](const T& item) { return text_of(item); });
  }
  template <typename T>
  requires requires(T value, FieldText text) { value.fields(text); }
  static std::string text_of(const T& value) {
    FieldText inner;
    const_cast<T&>(value).fields(inner);  // NOLINT: `fields` is one function for both directions
    return "{" + inner.text().substr(1) + "}";
  }

  std::string text_;
};

/// "Start", of adarun::launcher::protocol::Start.
template <typename Message>
std::string name_of_type() {
  const std::string text = __PRETTY_FUNCTION__;
  const std::string before = "Message = adarun::launcher::protocol::";
  const std::size_t begin = text.find(before) + before.size();
  return text.substr(begin, text.find_first_of(";]", begin) - begin);
}

/// What the plan of a node has is shown by --dry-run: here only what varies between attempts.
void describe(const protocol::Start& start, FieldText& text) {
  for (const protocol::RankSpec& rank : start.ranks)
    text(rank.rank, std::string("restarts"), rank.restarts, std::string("offset"), rank.output_offset);
  text(std::string("published"), start.published, std::string("stays"), start.stays,
       std::string("restarts_ranks"), start.restarts_ranks);
}

void describe(const protocol::Hello& hello, FieldText& text) {
  text(hello.hostname);
}

void describe(const protocol::JobSpec& /*spec*/, FieldText& /*text*/) {}

template <typename Message>
void describe(const Message& message, FieldText& text) {
  const_cast<Message&>(message).fields(text);  // NOLINT: as above
}

std::string text_of(const protocol::Message& message) {
  const auto describe_one = []<typename Message>(const Message& each) {
    FieldText text;
    describe(each, text);
    return name_of_type<Message>() + text.text();
  };
  return std::visit(describe_one, message);
}

std::string rank_text(std::uint32_t rank) {
  return "rank " + std::to_string(rank);
}

std::string text_of(const Failure& failure) {
  return std::string(name_of(failure.kind)) + ": " + failure.message +
         (failure.rank ? "; " + rank_text(*failure.rank) : "") +
         (failure.node ? "; node " + std::to_string(*failure.node) : "") + "; status " +
         std::to_string(failure.exit_status());
}

std::string text_of(const RankRecord& record) {
  std::string text = name_of(record.state);
  if (record.pid != 0) text += ", pid " + std::to_string(record.pid);
  if (record.code != 0) text += ", code " + std::to_string(record.code);
  if (record.signal != 0) text += ", signal " + std::to_string(record.signal);
  if (record.joined_mpi) text += ", joined MPI";
  if (record.left_mpi_open) text += ", left MPI open";
  if (record.missed_in_mpi) text += ", missed in MPI";
  if (record.abort) text += ", aborted";
  return text;
}

}  // namespace

JobTranscript::JobTranscript(Plan plan, Texts spares) : JobHarness(std::move(plan), std::move(spares)) {
  settle();
}

void JobTranscript::deal(const TransportEvent& event) {
  write("node " + std::to_string(event.node) + ": " +
        std::visit(base::Overloaded{
                       [](const protocol::Message& message) { return text_of(message); },
                       [](const LinkLost& lost) {
                         return "lost: " + lost.reason + ", runs on for " + base::describe(lost.runs_on);
                       },
                       [](const LinkCut& cut) { return "cut: " + cut.reason; },
                       [](const auto&) { return std::string("resumed"); },
                   },
                   event.what));
  JobHarness::deal(event);
  settle();
}

void JobTranscript::pass(milliseconds time) {
  write("after " + base::describe(time));
  JobHarness::pass(time);
  settle();
}

void JobTranscript::sleep(milliseconds time) {
  write("asleep for " + base::describe(time));
  now_ += time;
}

void JobTranscript::interrupt(int signal) {
  write("interrupt: signal " + std::to_string(signal));
  job_.on_interrupt(signal, now_);
  settle();
}

void JobTranscript::forward(int signal) {
  write("forward: signal " + std::to_string(signal));
  job_.on_forward(signal);
  settle();
}

void JobTranscript::resize() {
  write("resize");
  job_.on_resize(now_);
  settle();
}

void JobTranscript::suspend() {
  const bool told = job_.on_suspend(now_);
  write(std::string("suspend: ") + (told ? "told" : "not told"));
  settle();
}

void JobTranscript::continue_() {
  write(std::string("continue: ") + (job_.suspended() ? "all had confirmed" : "not all had confirmed"));
  job_.on_continue(now_);
  settle();
}

void JobTranscript::start_all() {
  greet_all();
  for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node) {
    hear(node, protocol::Ready{true, ""});
    for (const protocol::RankSpec& rank : plan_.nodes[node].start.ranks) start_ranks({rank.rank});
  }
}

// What has changed since the last input.
void JobTranscript::settle() {
  for (const Outgoing& out : job_.take_outgoing())
    write("  to " + numbers(out.nodes) + ": " + text_of(out.message));
  if (const auto deadline = job_.deadline(); deadline != deadline_) {
    deadline_ = deadline;
    const auto left = deadline ? std::chrono::ceil<milliseconds>(*deadline - now_) : milliseconds(0);
    write("  deadline: " + (deadline ? "in " + base::describe(left) : "none"));
  }
  if (std::exchange(was_ended_, job_.ended()) != job_.ended()) write("  the job has ended");
}

void JobTranscript::compare(const std::string& name) {
  const JobReport& report = job_.report();
  write("report: status " + std::to_string(report.exit_status()) + ", after " +
        base::describe(report.duration) + (report.was_cut_short() ? ", cut short" : "") +
        (report.is_refused ? ", refused" : "") + ", runs on for " + base::describe(report.runs_on));
  for (const Failure& failure : report.failures) write("  " + text_of(failure));
  write("  beside " + numbers(report.beside) + ", followers " + numbers(report.followers) + ", left " +
        numbers(report.left));
  for (std::size_t rank = 0; rank < report.ranks.size(); ++rank)
    write("  " + rank_text(static_cast<std::uint32_t>(rank)) + ": " + text_of(report.ranks[rank]));
  const std::string file = std::string(TRANSCRIPTS) + "/" + name + ".txt";
  if (std::getenv("ADARUN_WRITE_TRANSCRIPTS") != nullptr) {
    std::ofstream(file) << text_;
  } else {
    EXPECT_EQ(base::read_text(file), text_) << file;
  }
}

void JobTranscript::on_output(std::uint32_t rank, protocol::Stream stream, std::string_view bytes) {
  call("on_output " + std::to_string(rank) + (stream == protocol::Stream::out ? " out " : " err ") +
       in_quotes(std::string(bytes)));
}

void JobTranscript::on_exited(std::uint32_t rank, const RankRecord& record) {
  call("on_exited " + std::to_string(rank) + ": " + text_of(record));
}

void JobTranscript::on_examined(const ExaminedRank& examined) {
  call("on_examined " + std::to_string(examined.rank) +
       (examined.why == ExaminedRank::Why::job_hangs ? ", job hangs" : ", stays behind") +
       (examined.foremost ? ", foremost: " : ": ") + in_quotes(examined.text));
}

void JobTranscript::on_failure(const Failure& failure) {
  call("on_failure " + text_of(failure));
}

void JobTranscript::on_members(const protocol::Members& members, const std::string& why) {
  call("on_members " + std::to_string(members.generation) + " " + numbers(members.ranks) + ": " + why);
}
}  // namespace adarun::launcher
