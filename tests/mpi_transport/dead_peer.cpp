// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "slipway/mpi/mpi_transport.hpp"

// dead_peer kill|words|stop [fake hosts]: rank 1 goes; rank 0 prints "all survivors saw: REASON" when every other rank
// has told it so over the transport, which must go on working among the survivors.
namespace {

using namespace slipway;
using namespace std::chrono_literals;

class Survivor : public FrameSink {
 public:
  explicit Survivor(Transport& transport) : transport_(transport) {}

  void on_frames(RankId from, std::span<const std::byte>) override { told_.insert(from); }
  void on_large(RankId, TransferId, std::span<const std::byte>, std::span<const wire::SegmentInfo>) override {}
  void on_large_received(TransferId) override {}
  void on_sent(RankId, LargeFrame) override { ++frames_back_; }
  void on_peer_lost(RankId peer, const std::string& reason) override { lost_[peer] = reason; }

  // Frames to the victim that it will never take, so that something is under way when it goes. The transport asks before
  // it sends the short one, and may send the long one at once.
  void send_large_to(RankId to) {
    for (const std::size_t size : {std::size_t{1'000}, memory_.size()}) {
      LargeFrame frame;
      const wire::FrameHeader header{.kind = wire::FrameKind::request};
      frame.frame.resize(sizeof header);
      std::memcpy(frame.frame.data(), &header, sizeof header);
      frame.segments.push_back({memory_.data(), {.size = size}});
      transport_.send_large(to, std::move(frame));
      ++frames_out_;
    }
  }

  bool wait_for_loss(seam::Time deadline) {
    const auto over = [&] { return lost_.contains(RankId(1)) && frames_back_ == frames_out_; };
    sleep_until(deadline, over);
    return over();
  }
  const std::string& reason() { return lost_[RankId(1)]; }

  void tell_rank_0(seam::Time deadline) {
    const wire::FrameHeader header{.kind = wire::FrameKind::control};
    transport_.send(RankId(0), FrameClass::control, std::as_bytes(std::span(&header, 1)), {});
    sleep_until(deadline, [&] { return !transport_.has_unsent(); });
  }
  bool hear_from(std::size_t ranks, seam::Time deadline) {
    sleep_until(deadline, [&] { return told_.size() >= ranks; });
    return told_.size() >= ranks;
  }

 private:
  template <class Done>
  void sleep_until(seam::Time deadline, Done&& done) {
    while (!done() && seam::now() < deadline) {
      const std::uint32_t ticket = transport_.arm_bell();
      if (transport_.poll(*this) == 0 && !done()) transport_.wait_bell(ticket, deadline);
      transport_.disarm_bell();
    }
  }

  Transport& transport_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(100'000);
  std::map<RankId, std::string> lost_;
  std::set<RankId> told_;
  int frames_out_ = 0;
  int frames_back_ = 0;
};

void go(const std::string& how, Transport& transport) {
  seam::sleep_until(seam::after(200ms));
  if (how == "words") transport.announce_death(1, "it was too much");
  if (how == "stop") raise(SIGSTOP);
  raise(SIGKILL);
}

int survive(const std::string& how, Transport& transport) {
  const std::uint32_t others = transport.size() - 2;
  if (transport.rank() == RankId(1)) go(how, transport);
  Survivor survivor(transport);
  survivor.send_large_to(RankId(1));
  const seam::Time deadline = seam::after(10s);
  const bool saw_it = survivor.wait_for_loss(deadline);
  survivor.send_large_to(RankId(1));  // too late: they come back at once
  if (!saw_it || !survivor.wait_for_loss(deadline)) {
    std::printf("rank %u saw nothing\n", transport.rank().value());
    return 1;
  }
  if (MpiEnvironment::healthy()) std::printf("MPI still counts as healthy\n");
  if (transport.rank() != RankId(0)) {
    survivor.tell_rank_0(deadline);
    seam::sleep_until(seam::after(300ms));
    return 0;
  }
  const bool all = survivor.hear_from(others, deadline);
  std::printf("%s: %s\n", all ? "all survivors saw" : "others saw nothing", survivor.reason().c_str());
  return all ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MpiEnvironment environment(&argc, &argv);
  MpiOptions options;
  options.fake_hosts = argc > 2 ? static_cast<std::uint32_t>(std::atoi(argv[2])) : 0;
  options.detection_limit = 1500ms;
  const auto transport = make_mpi_transport(options);
  const int status = survive(argc > 1 ? argv[1] : "kill", *transport);
  std::fflush(nullptr);
  _exit(status);
}
