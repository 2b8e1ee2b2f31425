// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "doorbell.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "agreement.hpp"
#include "checked_mpi.hpp"

namespace slipway::detail {

// The cells follow.
struct alignas(64) Doorbell::Segment {
  std::atomic<std::uint32_t> deaths;
};

namespace {

std::uint64_t own_pid_namespace() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

// A segment that only this user may open; -1 when there can be none.
int create_segment(std::string& name) {
  constexpr int attempts = 16;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    name = "/slipway-" + std::to_string(getpid()) + "-" + std::to_string(seam::now() & 0xffffff);
    const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

bool all_agree(MPI_Comm host, bool mine, seam::Time deadline) {
  const int in = mine ? 1 : 0;
  int out = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_MIN, host, &request));
  await(request, deadline, "setting up the doorbell");
  return out == 1;
}

}  // namespace

Doorbell::Doorbell(MPI_Comm host, seam::Time deadline) {
  int rank = 0;
  int size = 0;
  check(MPI_Comm_rank(host, &rank));
  check(MPI_Comm_size(host, &size));
  own_ = static_cast<std::uint32_t>(rank);
  count_ = static_cast<std::uint32_t>(size);
  shared_ = map(host, deadline);
  if (!shared_) {
    own_ = 0;
    count_ = 1;
    bytes_ = sizeof(Segment) + sizeof(Cell);
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  deaths_ = &static_cast<Segment*>(memory_)->deaths;
  cells_ = reinterpret_cast<Cell*>(static_cast<std::byte*>(memory_) + sizeof(Segment));
  own().process = getpid();
  own().pid_namespace = own_pid_namespace();
  if (shared_) all_agree(host, true, deadline);  // every cell is filled in
}

Doorbell::~Doorbell() { unmap(); }

void Doorbell::unmap() {
  if (memory_ && memory_ != MAP_FAILED) munmap(memory_, bytes_);
  memory_ = nullptr;
}

// Fresh shared memory is zero, which is the first state of everything in it.
bool Doorbell::map(MPI_Comm host, seam::Time deadline) {
  bytes_ = sizeof(Segment) + count_ * sizeof(Cell);
  std::string name;
  int file = -1;
  if (own_ == 0) {
    file = create_segment(name);
    // posix_fallocate, unlike ftruncate, finds out here that the memory is not there, and not by a signal later.
    if (file >= 0 && posix_fallocate(file, 0, static_cast<off_t>(bytes_)) != 0) {
      close(file);
      shm_unlink(name.c_str());
      file = -1;
      name.clear();
    }
  }
  name = gather_texts(host, file >= 0 ? name : "", deadline).front();
  if (own_ != 0 && !name.empty()) file = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0);
  if (file >= 0) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
  }
  const bool mapped = file >= 0 && memory_ != MAP_FAILED;
  const bool all_mapped = all_agree(host, mapped, deadline);
  if (own_ == 0 && !name.empty()) shm_unlink(name.c_str());
  if (!all_mapped && mapped) unmap();
  return all_mapped;
}

void Doorbell::wake(Cell& cell) {
  if (cell.sleeping.exchange(0) == 0) return;
  cell.word.fetch_add(1);
  seam::wake(cell.word, 1, true);
}

std::uint32_t Doorbell::arm() {
  const std::uint32_t ticket = own().word.load(std::memory_order_acquire);
  own().sleeping.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return ticket;
}

bool Doorbell::wait(std::uint32_t ticket, seam::Time deadline) {
  Cell& cell = own();
  while (cell.word.load(std::memory_order_acquire) == ticket && seam::now() < deadline) {
    seam::wait(cell.word, ticket, deadline, true);
  }
  disarm();
  return cell.word.load(std::memory_order_acquire) != ticket;
}

void Doorbell::ring_own() {
  Cell& cell = own();
  cell.word.fetch_add(1);
  if (cell.sleeping.exchange(0) != 0) seam::wake(cell.word, 1, true);
}

void Doorbell::announce_death(int status, const char* last_words) noexcept {
  Cell& mine = own();
  std::size_t at = 0;
  if (last_words) {
    for (; at + 1 < sizeof mine.last_words && last_words[at] != '\0'; ++at) mine.last_words[at] = last_words[at];
  }
  mine.last_words[at] = '\0';
  mine.status = status;
  std::uint32_t expected = static_cast<std::uint32_t>(RankState::running);
  if (!mine.state.compare_exchange_strong(expected, static_cast<std::uint32_t>(RankState::dying))) return;
  deaths_->fetch_add(1);
  for (std::uint32_t index = 0; index < count_; ++index) {
    if (index == own_) continue;
    cells_[index].word.fetch_add(1);
    cells_[index].sleeping.store(0);
    seam::wake(cells_[index].word, 1, true);
  }
}

}  // namespace slipway::detail
