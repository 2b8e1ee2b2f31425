// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "study_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "slipway/base/error.hpp"

namespace slipway::tool {

StudyLock::StudyLock(const std::filesystem::path& study_directory)
    : file_(::open((study_directory / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (file_.get() < 0) {
    throw Error("cannot write into the study " + study_directory.string() + " (" + std::strerror(errno) +
                "). Make it writable");
  }
  // Where the file system has no locks, the study goes on without.
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw UsageError("another slipway sweep runs points of " + study_directory.string() +
                     " (two would disturb each other's times). Wait for it, or press Ctrl-C there");
  }
}

}  // namespace slipway::tool
