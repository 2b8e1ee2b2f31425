// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "liveness.hpp"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "own_frames.hpp"
#include "process_failure.hpp"

namespace slipway::detail {

namespace {

constexpr seam::Time millisecond = 1'000'000;
constexpr seam::Time second = 1'000 * millisecond;
constexpr seam::Time look_every = 10 * millisecond;  // a look at the pidfds is one system call
constexpr seam::Time longest_gap = 3 * second;       // between two beats; a longer one: this process was stopped

// Whether a debugger holds this process.
bool traced() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("TracerPid:")) return line.find_first_of("123456789") != std::string::npos;
  }
  return false;
}

int open_process(pid_t process) {
#ifdef SYS_pidfd_open
  return static_cast<int>(syscall(SYS_pidfd_open, process, 0));
#else
  static_cast<void>(process);
  return -1;
#endif
}

}  // namespace

Liveness::Liveness(std::uint32_t rank, const HostMap& hosts, Doorbell& doorbell, Outbox& outbox, MPI_Comm communicator,
                   seam::Time detection_limit)
    : rank_(rank),
      hosts_(hosts),
      doorbell_(doorbell),
      outbox_(outbox),
      communicator_(communicator),
      fault_tolerance_(fault_tolerance_on()),
      detection_limit_(detection_limit),
      beat_every_(detection_limit > 0 ? std::min(second, detection_limit / 5) : second),
      dead_(hosts.host_of_rank.size()) {
  watch_neighbours();
}

Liveness::~Liveness() {
  for (const int file : process_files_) close(file);
  if (watcher_ >= 0) close(watcher_);
}

void Liveness::watch_neighbours() {
  if (doorbell_.count() < 2) return;
  watcher_ = epoll_create1(EPOLL_CLOEXEC);
  if (watcher_ < 0) return;
  for (std::uint32_t index = 0; index < doorbell_.count(); ++index) {
    const auto& cell = doorbell_.cell(index);
    // Numbers of another pid namespace (a container) would name strangers.
    if (index == doorbell_.own_index() || cell.pid_namespace != doorbell_.own().pid_namespace) continue;
    const int file = open_process(cell.process);
    if (file < 0) continue;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u32 = index;
    epoll_ctl(watcher_, EPOLL_CTL_ADD, file, &event);
    process_files_.push_back(file);
  }
}

std::vector<Liveness::Loss> Liveness::check(seam::Time now) {
  if (doorbell_.deaths() != deaths_seen_) read_announced_deaths();
  if (fault_tolerance_) ask_mpi();
  if (now >= next_look_) {
    next_look_ = now + look_every;
    if (!process_files_.empty()) read_ended_processes();
    if (hosts_.several_hosts() && now >= next_beat_) beat(now);
  }
  return std::exchange(losses_, {});
}

std::string Liveness::name_of(std::uint32_t rank) const {
  return "rank " + std::to_string(rank) + " on host " + hosts_.names[hosts_.host_of_rank[rank].index()];
}

std::string Liveness::last_words(std::uint32_t index) {
  const auto& cell = doorbell_.cell(index);
  std::string text = name_of(hosts_.neighbours[index]) + " ended with status " + std::to_string(cell.status);
  const std::string words(cell.last_words, strnlen(cell.last_words, sizeof cell.last_words));
  return words.empty() ? text : text + ": " + words;
}

void Liveness::read_announced_deaths() {
  deaths_seen_ = doorbell_.deaths();
  for (std::uint32_t index = 0; index < doorbell_.count(); ++index) {
    if (index == doorbell_.own_index()) continue;
    const auto state = static_cast<RankState>(doorbell_.cell(index).state.load(std::memory_order_acquire));
    if (state == RankState::dying) lose(hosts_.neighbours[index], last_words(index), false);
  }
}

void Liveness::read_ended_processes() {
  std::array<epoll_event, 8> events;
  const int count = epoll_wait(watcher_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const std::uint32_t index = events[static_cast<std::size_t>(i)].data.u32;
    const std::uint32_t rank = hosts_.neighbours[index];
    const auto state = static_cast<RankState>(doorbell_.cell(index).state.load(std::memory_order_acquire));
    if (state == RankState::dying) {
      lose(rank, last_words(index), false);
    } else if (state == RankState::running) {
      lose(rank,
           name_of(rank) + " is gone: its process " + std::to_string(doorbell_.cell(index).process) +
               " ended without a word (killed from outside, or out of memory)",
           false);
    }
  }
}

void Liveness::ask_mpi() {
  const auto failed = failed_ranks(communicator_);
  if (failed.size() == failures_seen_) return;
  failures_seen_ = failed.size();
  for (const std::uint32_t rank : failed) lose(rank, name_of(rank) + " is gone, says MPI", false);
}

void Liveness::lose(std::uint32_t rank, const std::string& reason, bool tell_all) {
  if (dead_[rank]) return;
  dead_[rank] = true;
  losses_.push_back({rank, reason});
  const bool tell_others = tell_all || leader_of(own_host()) == rank_;
  if (!tell_others) return;
  for (std::uint32_t peer = 0; peer < dead_.size(); ++peer) {
    if (peer == rank_ || dead_[peer]) continue;
    if (tell_all || hosts_.host_of_rank[peer] != own_host()) tell(peer, losses_.back());
  }
}

void Liveness::tell(std::uint32_t to, const Loss& loss) {
  const LossHeader header{loss.rank};
  const auto text = std::as_bytes(std::span(loss.reason.data(), std::min<std::size_t>(loss.reason.size(), 1000)));
  outbox_.append_own(to, FrameClass::control, own_frames::loss, bytes_of(header), text);
}

bool Liveness::on_loss(std::span<const std::byte> payload) {
  LossHeader header;
  if (!wire::read(payload, header) || header.rank >= dead_.size()) return false;
  const auto text = payload.subspan(sizeof header);
  suspect(header.rank, std::string(reinterpret_cast<const char*>(text.data()), text.size()));
  return true;
}

void Liveness::suspect(std::uint32_t rank, const std::string& reason) {
  if (dead_[rank] || rank == rank_) return;
  dead_[rank] = true;
  losses_.push_back({rank, reason});
}

std::uint32_t Liveness::leader_of(HostId host) const {
  for (std::uint32_t rank = 0; rank < dead_.size(); ++rank) {
    if (hosts_.host_of_rank[rank] == host && !dead_[rank]) return rank;
  }
  return RankId::none;
}

// The nearest host with ranks left; this rank's own when there is no other.
HostId Liveness::next_host(int direction) const {
  const auto count = static_cast<std::int64_t>(hosts_.names.size());
  const auto own = static_cast<std::int64_t>(own_host().value());
  for (std::int64_t step = 1; step < count; ++step) {
    const HostId host(static_cast<std::uint32_t>((own + direction * step + count * step) % count));
    if (leader_of(host) != RankId::none) return host;
  }
  return own_host();
}

void Liveness::beat(seam::Time now) {
  const bool was_stopped = last_beat_ != 0 && now - last_beat_ > beat_every_ + longest_gap;
  next_beat_ = now + beat_every_;
  last_beat_ = now;
  if (leader_of(own_host()) != rank_) return;
  const bool being_traced = traced();
  const HostId next = next_host(1);
  if (next != own_host()) {
    const HeartbeatBody body{being_traced ? 1u : 0u};
    outbox_.append_own(leader_of(next), FrameClass::control, own_frames::heartbeat, bytes_of(body), {});
  }
  const HostId watched = next_host(-1);
  if (watched != watched_ || was_stopped || being_traced || watched_traced_ || heard_) last_heard_ = now;
  if (watched != watched_) watched_traced_ = false;
  watched_ = watched;
  heard_ = false;
  if (watched != own_host()) watch_host(watched, now);
}

void Liveness::watch_host(HostId watched, seam::Time now) {
  if (detection_limit_ <= 0 || now - last_heard_ <= detection_limit_) return;
  for (std::uint32_t rank = 0; rank < dead_.size(); ++rank) {
    if (hosts_.host_of_rank[rank] != watched) continue;
    lose(rank,
         name_of(rank) + " is lost: nothing was heard from its host for " +
             std::to_string((now - last_heard_) / second) + " s",
         true);
  }
}

bool Liveness::on_heartbeat(std::uint32_t from, std::span<const std::byte> payload) {
  HeartbeatBody body;
  if (!wire::read(payload, body)) return false;
  if (hosts_.host_of_rank[from] != watched_) return true;
  heard_ = true;
  watched_traced_ = body.traced != 0;
  return true;
}

}  // namespace slipway::detail
