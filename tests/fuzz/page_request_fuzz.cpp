// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request to the page's server and as a line of a job: answers are complete, and their text is
// UTF-8 without control characters.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clean_text.h"
#include "monitor/base/error.h"
#include "monitor/web/access_policy.h"
#include "monitor/web/metrics_file.h"
#include "monitor/web/site.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace web = adarun::monitor::web;

namespace {

web::RunRegistry& registry() {
  static web::RunRegistry registry({[] { return std::vector<web::JobEntry>(); },
                                    [](const std::string&) -> std::unique_ptr<web::WatchedRun> {
                                      return std::make_unique<web::WatchedRun>(
                                          std::vector<std::filesystem::path>(), "");
                                    },
                                    [](const std::string&) { return web::JobFacts(); }},
                                   {"run"});
  return registry;
}

void answer(std::string_view text) {
  web::PageRequest request{std::string(take_line(text)), {{"id", "run"}}};
  for (const char* name :
       {"axis", "from", "to", "slices", "rank", "x", "at", "lines", "direction", "find", "quantity"})
    request.parameters[name] = take_line(text);
  const int status = web::Site(registry()).answer(request).status;
  demand(status == 200 || status == 400 || status == 404);
}

void decide(std::string_view text) {
  const web::AccessPolicy policy("secret", "node1");
  web::AccessRequest asked{"GET",
                           std::string(take_line(text)),
                           std::string(take_line(text)),
                           std::string(take_line(text)),
                           std::string(take_line(text)),
                           std::string(take_line(text))};
  const bool has_secret = asked.token == "secret" || asked.cookie.find("=secret") != std::string::npos ||
                          asked.authorization.find("secret") != std::string::npos;
  demand(has_secret || !policy.decide(asked).allowed());
}

}  // namespace

FUZZ_TARGET(page_request) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  answer(text);
  decide(text);
  const std::string clean = adarun::base::clean_text(text);
  demand(adarun::base::clean_text(clean) == clean);
  for (const char c : clean) demand(static_cast<unsigned char>(c) >= ' ' || c == '\t');
  web::MetricsFile metrics("none");
  metrics.feed(text);
  try {
    web::parse_listen_address(text);
  } catch (const adarun::monitor::Error&) {
  }
  return 0;
}
