// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/transport/loop/link.h"

namespace adarun::launcher {

/// What the far side of a FakeLink does: sends some bytes, then nothing, or more, or ends. Functions may be
/// left out.
struct Script {
  std::string sends = {};
  std::function<std::string()> more = nullptr;  ///< What it sends once all of that was read.
  bool opens = true;
  bool ends = false;        ///< Once it has sent all.
  std::string breaks = {};  ///< Thrown by read() once it has sent all.
  std::string status_text = {};
  bool for_good = false;
  std::function<std::size_t(std::string_view)> takes =
      nullptr;  ///< How many bytes it takes of some; else all.
  std::function<bool()> may_open = nullptr;
  std::function<bool()> may_close = nullptr;
  std::function<bool()> has_ended = nullptr;  ///< In place of `ends`.
  std::function<bool()> acknowledges = nullptr;
  std::string step = "start the agent";
};

/// A link without a far side.
struct FakeLink : Link {
  explicit FakeLink(Script far_side) : script(std::move(far_side)) {}

  int fd() const override { return -1; }
  short wanted() const override { return POLLIN; }
  bool open() override { return script.opens && (!script.may_open || script.may_open()); }
  std::string_view step() const override { return script.step; }
  std::size_t read(std::span<char> buffer) override {
    if (script.sends.empty() && script.more) script.sends = script.more();
    const std::size_t size = std::min(buffer.size(), script.sends.size());
    std::copy_n(script.sends.begin(), size, buffer.begin());
    script.sends.erase(0, size);
    if (size == 0 && !script.breaks.empty()) throw Error(script.breaks);
    return size;
  }
  std::size_t write(std::string_view bytes) override {
    return script.takes ? script.takes(bytes) : bytes.size();
  }
  bool is_acknowledged() const override { return script.acknowledges && script.acknowledges(); }
  bool ended() const override { return script.has_ended ? script.has_ended() : script.ends; }
  bool ended_for_good() override { return script.for_good; }
  std::string status_text() override { return script.status_text; }
  bool close() override { return !script.may_close || script.may_close(); }

  Script script;
};

}  // namespace adarun::launcher
