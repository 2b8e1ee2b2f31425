// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "slipway/rpc/execution.hpp"
#include "slipway/tasks/outcome.hpp"

namespace slipway::detail {

class TaskBase;

// Values of at most so many bytes go along with what needs them; larger ones are asked for once by each rank.
inline constexpr std::size_t largest_inline_value = 4096;

// What is known of a value that refs name, whatever its type. It lives as long as its CallState, of which all refs
// together hold one reference: they are counted here, since a value may have more refs than the state can count.
//
// The rank that made the ref owns the value. A borrowed one stands for a value that another rank owns; what makes it
// there says its outcome as the answer to a call, of which the object itself is the state.
class ObjectPart {
 public:
  // `maker`: one reference to the task is taken over; nullptr: a value that is there. Born with one ref.
  ObjectPart(std::uint64_t id, TaskBase* maker) : id_(id), maker_(maker) {}
  ObjectPart(std::uint64_t id, RankId owner) : owner_(owner.value()), id_(id), maker_(nullptr) {}
  ObjectPart(const ObjectPart&) = delete;
  ObjectPart& operator=(const ObjectPart&) = delete;

  virtual CallState& state() = 0;
  virtual const std::type_info& type() const = 0;
  // Of one that has a value. Whether this runs user code: `encodes_by_library`.
  virtual void encode_value(Writer& writer) = 0;
  virtual bool encodes_by_library() const = 0;
  // About how many bytes it takes, as far as that is known without encoding it.
  static constexpr std::size_t unknown_size = ~std::size_t{0};
  virtual std::size_t known_size() const = 0;

  std::uint64_t id() const { return id_; }
  TaskBase* maker() const { return maker_; }
  bool is_borrowed() const { return owner_.load(std::memory_order_relaxed) != here; }
  RankId owner() const { return RankId(owner_.load(std::memory_order_relaxed) & ~wanted); }  // of a borrowed one

  void add_ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  // False: the last one has just gone.
  bool try_add_ref();
  void drop_ref() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) drop_last_ref();
  }
  bool is_only_ref() const { return refs_.load(std::memory_order_acquire) == 1; }

  // Nobody else has a ref to it, or can get one from now on: the value may be moved out.
  bool take_for_itself();

  // Somebody is about to wait for it: a borrowed one is asked for, once.
  void want() {
    if (is_borrowed()) ask_for();
  }
  // The run is over, and its owner with it.
  void forget_owner() { owner_.store(here, std::memory_order_relaxed); }

 protected:
  ~ObjectPart();
  // On this thread: the task that makes it, and before it what that one lacks, as far as nobody has begun on it.
  bool run_maker() const;
  std::string describe_maker() const;

 private:
  static constexpr std::uint32_t here = RankId::none;
  static constexpr std::uint32_t wanted = std::uint32_t{1} << 31;  // set in owner_ once it has been asked for

  void drop_last_ref();
  void ask_for();

  std::atomic<std::uint32_t> refs_{1};
  std::atomic<std::uint32_t> owner_{here};
  const std::uint64_t id_;
  TaskBase* const maker_;
};

// Bytes of a value whose decoding runs user code, until the first thread that looks at it does that.
class LateBytes {
 public:
  void keep(std::span<const std::byte> bytes) {
    bytes_.assign(bytes.begin(), bytes.end());
    phase_.store(Phase::kept, std::memory_order_release);
  }
  template <class Decode>
  void decode_once(const Decode& decode_value) {
    while (phase_.load(std::memory_order_acquire) != Phase::none) {
      Phase kept = Phase::kept;
      if (!phase_.compare_exchange_strong(kept, Phase::busy, std::memory_order_acq_rel)) {
        seam::pause();
        continue;
      }
      try {
        Reader reader(bytes_);
        decode_value(reader);
        reader.finish();
      } catch (...) {
        phase_.store(Phase::kept, std::memory_order_release);  // the next one gets the error as well
        throw;
      }
      bytes_ = {};
      phase_.store(Phase::none, std::memory_order_release);
    }
  }

 private:
  enum class Phase : std::uint8_t { none, kept, busy };
  std::atomic<Phase> phase_{Phase::none};
  std::vector<std::byte> bytes_;
};

template <class T>
concept ArrayOfRaw = requires(const T& array) {
  array.size();
  requires is_raw<std::remove_cvref_t<decltype(*array.data())>>;
};

// The value itself. Written once; read by everybody once it is there.
template <class T>
class ObjectOf final : public ResultState<T>, public ObjectPart {
 public:
  using ObjectPart::ObjectPart;
  CallState& state() override { return *this; }
  const std::type_info& type() const override { return typeid(T); }
  bool run_here() override { return run_maker(); }
  std::string describe() const override { return describe_maker(); }

  // The value of one that is done and has not failed.
  decltype(auto) look() {
    materialize();
    return static_cast<const T&>(*this->value);
  }
  decltype(auto) take() {
    materialize();
    return std::move(*this->value);
  }
  void materialize() override {
    if constexpr (DecodedLate<T>) {
      late_.decode_once([this](Reader& reader) { decode(reader, this->value.emplace()); });
    }
  }

  // The answer of its owner.
  void take_body(std::span<const std::byte> body) override {
    Reader reader(body);
    read_outcome(reader);
    take_value(reader, reader.remaining());
    reader.finish();
  }
  void decode_value(Reader& reader) override {
    read_outcome(reader);
    if constexpr (!std::is_void_v<T>) decode(reader, this->value.emplace());
  }
  // So many bytes of a message that stays for this call.
  void take_value(Reader& reader, std::size_t size) {
    if constexpr (DecodedLate<T>) {
      late_.keep({reader.take(size), size});
    } else if constexpr (!std::is_void_v<T>) {
      decode(reader, this->value.emplace());
    }
  }
  void encode_value(Writer& writer) override {
    if constexpr (!std::is_void_v<T>) encode(writer, look());
  }
  bool encodes_by_library() const override { return !DecodedLate<T>; }
  std::size_t known_size() const override {
    if constexpr (std::is_void_v<T>) {
      return 0;
    } else if constexpr (DecodedLate<T>) {
      return unknown_size;
    } else if constexpr (is_raw<T>) {
      return sizeof(T);
    } else if constexpr (ArrayOfRaw<T>) {
      return this->value->size() * sizeof(*this->value->data());
    } else {
      return unknown_size;
    }
  }

 private:
  [[no_unique_address]] std::conditional_t<DecodedLate<T>, LateBytes, std::monostate> late_;
};

}  // namespace slipway::detail
