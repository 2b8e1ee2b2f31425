// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

// Every exception that slipway throws. Texts follow one grammar: the problem, why it is one, what to do about it.
namespace slipway {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The program, its plan or its options are wrong; found before anything starts. Exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Whether the handler of a failed call ran: what a caller must know before it calls again.
enum class HandlerRan : std::uint8_t { no, maybe, yes };

std::string_view to_string(HandlerRan ran);

// A call that did not end with its value. Contract 1.
class CallError : public Error {
 public:
  CallError(const std::string& text, HandlerRan ran) : Error(text), ran_(ran) {}
  HandlerRan handler_ran() const { return ran_; }

 private:
  HandlerRan ran_;
};

// Where and how a handler failed.
struct RemoteFailure {
  std::string type;    // demangled type of the exception
  std::string text;    // its what()
  std::string node;    // label of the called node
  std::string method;  // as written in the source
  std::uint32_t rank = 0;
};

// The handler threw, or the call could not be decoded there.
class RemoteError : public CallError {
 public:
  RemoteError(RemoteFailure failure, HandlerRan ran);
  const RemoteFailure& failure() const { return failure_; }

 private:
  RemoteFailure failure_;
};

// The time given to the call or to the wait ran out.
class Timeout : public CallError {
 public:
  using CallError::CallError;
};

// The caller cancelled the call before it had an outcome.
class Cancelled : public CallError {
 public:
  using CallError::CallError;
};

// The rank that would have answered is gone.
class PeerLost : public CallError {
 public:
  PeerLost(const std::string& text, HandlerRan ran, std::uint32_t rank) : CallError(text, ran), rank_(rank) {}
  std::uint32_t rank() const { return rank_; }

 private:
  std::uint32_t rank_;
};

// This wait would have closed a cycle of waits that none can leave. The text names the cycle. Contract 3.
class Deadlock : public CallError {
 public:
  explicit Deadlock(const std::string& text) : CallError(text, HandlerRan::maybe) {}
};

// One more blocked handler would pass --slipway-max-blocked. The text names the waits. Contract 3.
class TooManyBlocked : public CallError {
 public:
  explicit TooManyBlocked(const std::string& text) : CallError(text, HandlerRan::maybe) {}
};

// The program is stopping, and this wait cannot be waited out. Contract 8.
class Stopped : public CallError {
 public:
  explicit Stopped(const std::string& text) : CallError(text, HandlerRan::maybe) {}
};

// The other side sent bytes that cannot be read as what they should be.
class WireError : public Error {
 public:
  using Error::Error;
};

}  // namespace slipway
