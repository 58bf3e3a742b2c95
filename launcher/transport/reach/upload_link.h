// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/transport/loop/link.h"
#include "launcher/transport/reach/agent_source.h"

namespace adarun::launcher {

/// A link to a node whose command is agent_call(): uploads the build of the agent that the node requests
/// before an agent answers, and learns when the command begins. The reader sees nothing of that.
class UploadLink : public Link {
 public:
  UploadLink(std::unique_ptr<Link> link, std::shared_ptr<const AgentSource> source)
      : link_(std::move(link)), source_(std::move(source)) {}

  int fd() const override { return link_->fd(); }
  short wanted() const override;
  bool open() override { return link_->open(); }
  std::string_view step() const override { return has_begun_ ? "start the agent" : link_->step(); }
  std::vector<std::string> take_remarks() override { return link_->take_remarks(); }
  std::size_t read(std::span<char> buffer) override;
  std::size_t write(std::string_view bytes) override { return link_->write(bytes); }
  bool is_acknowledged() const override { return link_->is_acknowledged(); }
  void flush() override { link_->flush(); }
  bool ended() const override { return held_.empty() && link_->ended(); }
  std::string status_text() override;
  bool ended_for_good() override { return link_->ended_for_good(); }
  bool close() override { return link_->close(); }

 private:
  void upload();
  void take_marks();
  void take_request();
  std::size_t deliverable_bytes() const;

  std::unique_ptr<Link> link_;
  std::shared_ptr<const AgentSource> source_;
  std::string held_;             ///< Read, not delivered yet.
  std::string_view to_upload_;   ///< The part of a build still to be written,
  std::size_t build_bytes_ = 0;  ///< and the size of all of it; 0: none was requested.
  bool has_begun_ = false;       ///< The command.
  bool agent_has_spoken_ = false;
};

}  // namespace adarun::launcher
