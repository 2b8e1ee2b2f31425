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
// Results that are larger, or of a type that has no fixed size, may stay on the rank that made them until they are
// needed elsewhere (TaskSettings::stays_from).

template <class T>
consteval bool may_stay_where_made() {
  if constexpr (std::is_void_v<T>) {
    return false;
  } else {
    return !is_raw<T> || sizeof(T) > largest_inline_value;
  }
}
template <class T>
inline constexpr bool may_stay = may_stay_where_made<T>();

class ObjectPart;

// A ref on the wire. `object`: nullptr for a ref that names nothing. What is received has a ref for its new holder.
void write_ref(Writer& writer, ObjectPart* object);
using MakeBorrowed = ObjectPart* (*)(std::uint64_t id, RankId owner);
ObjectPart* read_ref(Reader& reader, const std::type_info& type, MakeBorrowed make);
// Of a result that goes to another rank: whether it stays here, and if so how it is found.
bool keep_result(Writer& writer, ObjectPart& result);

// In the number of bytes of a value that is elsewhere: the copy of another borrower, which is named by its rank.
inline constexpr std::uint64_t at_reader = std::uint64_t{1} << 63;

// Where a value is that is not in its object: in another one, which stands for that of another rank perhaps.
struct Elsewhere {
  Elsewhere() = default;
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  ~Elsewhere();

  std::atomic<ObjectPart*> object{nullptr};  // with a ref
  std::atomic<std::uint64_t> bytes{0};       // about; set before
  std::uint32_t copy_of = RankId::none;      // its owner, of an object that stands for the copy of another borrower
};

// What is known of a value that refs name, whatever its type. It lives as long as its CallState, of which all refs
// together hold one reference: they are counted here, since a value may have more refs than the state can count.
//
// The rank that made the ref owns the value. A borrowed one stands for a value that another rank owns; what makes it
// there says its outcome as the answer to a call, of which the object itself is the state.
//
// A large value of a task that another rank ran is there: the object has its outcome, and a source, which is borrowed
// from that rank. Who waits for an outcome needs no more; who looks at the value fetches it.
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
  // nullptr: a value of this type is always in the object itself.
  virtual Elsewhere* elsewhere() = 0;

  // Where the value is, if it is not in the object itself.
  ObjectPart* source() {
    Elsewhere* const where = elsewhere();
    return where ? where->object.load(std::memory_order_acquire) : nullptr;
  }
  // The last of its sources: the object that has the value, or will have it.
  ObjectPart& located();
  // Of a value that is done: it needs not be fetched.
  bool is_here() {
    ObjectPart& at = located();
    return at.state().done() && !at.is_lost();
  }
  // A ref to the source is taken over, unless there is one already (false).
  bool set_source(ObjectPart* source, std::uint64_t bytes);
  // Of a source that is done: the rank that had the value has it no more.
  bool is_lost();
  // An empty object for the same value, with a ref.
  virtual ObjectPart* make_like() = 0;
  // It is owned, and there is a task that can make it once more.
  bool can_be_made_again() const;
  // A task of another rank made it, which knows where it is.
  bool is_kept_for_others() const;
  // It stands for the copy that another borrower of the value has.
  bool is_copy() { return elsewhere() && elsewhere()->copy_of != RankId::none; }
  // Waits until the value is in the object that this gives. Throws what `get` throws.
  ObjectPart& fetch();

  std::uint64_t id() const { return id_; }
  TaskBase* maker() const { return maker_; }
  bool is_borrowed() const { return owner_.load(std::memory_order_relaxed) != here; }
  RankId owner() const { return RankId(owner_.load(std::memory_order_relaxed) & ~wanted); }  // of a borrowed one

  void add_ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  // False: the last one has just gone.
  bool try_add_ref();
  // Of one that may have none any more, and lives by its state.
  void add_first_ref() {
    if (refs_.fetch_add(1, std::memory_order_relaxed) == 0) state().retain();
  }
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
  void let_value_go();

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

  Elsewhere* elsewhere() override {
    if constexpr (may_stay<T>) {
      return &elsewhere_;
    } else {
      return nullptr;
    }
  }

  ObjectPart* make_like() override {
    auto* const object = new ObjectOf(id(), nullptr);
    object->info.endpoint = this->info.endpoint;
    object->info.method = this->info.method;
    return object;
  }

  // The value of one that is done and has not failed. May have to fetch it, and throws what comes of that.
  decltype(auto) look() { return static_cast<const T&>(*here().value); }
  decltype(auto) take() { return std::move(*here().value); }
  void materialize() override {
    if constexpr (DecodedLate<T>) {
      late_.decode_once([this](Reader& reader) { decode(reader, this->value.emplace()); });
    }
  }

  // The answer of its owner.
  void take_body(std::span<const std::byte> body) override {
    Reader reader(body);
    read_outcome(reader);
    if (!read_source(reader)) take_value(reader, reader.remaining());
    reader.finish();
  }
  void decode_value(Reader& reader) override {
    read_outcome(reader);
    if (read_source(reader)) return;
    if constexpr (!std::is_void_v<T>) decode(reader, this->value.emplace());
  }
  // Of what may be elsewhere it says first whether it is. True: it is, and the source has been read.
  bool read_source([[maybe_unused]] Reader& reader) {
    if constexpr (may_stay<T>) {
      std::uint64_t bytes = 0;
      decode(reader, bytes);
      if (bytes == 0) return false;
      if ((bytes & at_reader) != 0) {
        set_reader(reader, bytes & ~at_reader);
        return true;
      }
      const auto make = [](std::uint64_t id, RankId owner) -> ObjectPart* { return new ObjectOf(id, owner); };
      ObjectPart* const source = read_ref(reader, typeid(T), make);
      if (!source) throw WireError("a value without a place (message damaged, or ranks run different programs)");
      if (!set_source(source, bytes)) source->drop_ref();
      return true;
    }
    return false;
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
  // The object that has the value.
  ObjectOf& here() {
    ObjectOf* at = this;
    if constexpr (may_stay<T>) {
      if (source()) at = static_cast<ObjectOf*>(&fetch());
    }
    at->materialize();
    return *at;
  }

  // Another borrower has it, or will have it.
  void set_reader(Reader& reader, std::uint64_t bytes) {
    std::uint32_t rank = 0;
    decode(reader, rank);
    auto* const copy = new ObjectOf(id(), RankId(rank));
    copy->info.endpoint = this->info.endpoint;
    copy->elsewhere_.copy_of = owner().value();
    if (!set_source(copy, bytes)) copy->drop_ref();
  }

  struct Nowhere {};
  [[no_unique_address]] std::conditional_t<DecodedLate<T>, LateBytes, std::monostate> late_;
  [[no_unique_address]] std::conditional_t<may_stay<T>, Elsewhere, Nowhere> elsewhere_;
};

}  // namespace slipway::detail
