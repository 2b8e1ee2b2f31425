// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "slipway/rpc/archive.hpp"
#include "slipway/rpc/archive_raw.hpp"
#include "slipway/rpc/call_state.hpp"
#include "slipway/rpc/endpoint.hpp"
#include "slipway/rpc/method.hpp"
#include "slipway/rpc/transferable.hpp"

// How one call is run, on the rank of its node.
namespace slipway::detail {

// Arguments that were decoded before their arrays arrived. Contract 5.
class PreparedArguments {
 public:
  virtual ~PreparedArguments() = default;
  virtual void invoke(Invocation& invocation) = 0;
};

// Where the outcome of a handler goes: over the wire, or straight into a future of this rank.
struct ReplyTo {
  Endpoint* endpoint = nullptr;
  NodeSlot* node = nullptr;
  const MethodEntry* method = nullptr;
  CallState* state = nullptr;  // a call inside the rank; one reference
  RankId rank;                 // else: the caller's rank ...
  std::uint64_t call_id = 0;   // ... and its number there; 0: a post

  // Each ends the call; the ReplyTo is used up.
  void fail(const std::exception_ptr& error, HandlerRan ran);
  void done_without_value();
};

// A handler that is a coroutine: what must live until it ends. See async.hpp.
struct CoroutineCall;

struct Invocation {
  std::span<const std::byte> body;
  void* object = nullptr;  // of the node's own type
  ReplyTo reply;
  Activity* activity = nullptr;
  bool started = false;    // user code has begun
  bool suspended = false;  // a coroutine took over; it has the reply and the strand
};

// Decodes, runs, replies. Failures leave as exceptions; `run_invocation` turns them into replies.
void run_invocation(Invocation& invocation, PreparedArguments* prepared);

template <class T>
void* object_as(Invocation& invocation) {
  const std::type_info& type = invocation.reply.node->type;
  if (type == typeid(T)) [[likely]]
    return invocation.object;
  void* const object = upcast(invocation.object, type, typeid(T));
  if (!object)
    throw WireError("the call is for another type of node (message damaged, or ranks run different programs)");
  return object;
}

// Where a result comes to lie. A plain one needs no note of whether it is there: nobody looks before its call is done.
template <class T>
class PlainStorage {
 public:
  PlainStorage() {}
  template <class... Args>
  T& emplace(Args&&... args) {
    return *std::construct_at(&value_, std::forward<Args>(args)...);
  }
  T& operator*() { return value_; }

 private:
  union {
    T value_;
  };
};

template <class T>
struct StorageFor {
  using type = std::optional<T>;
};
template <class T>
requires(std::is_trivially_copyable_v<T>) struct StorageFor<T> {
  using type = PlainStorage<T>;
};
template <>
struct StorageFor<void> {
  using type = std::monostate;
};

// Types that the library may not decode on any thread: until the one that takes the value does it.
template <class R>
concept DecodedLate = !std::is_void_v<R> && Transferable<R> && !library_decodable<R>;

// The result of a call inside a rank or of a decoded reply. Futures made from others may hold types that cannot be
// sent.
template <class R>
class ResultState : public CallState {
 public:
  void decode_value(Reader& reader) override {
    if constexpr (!std::is_void_v<R>) {
      if constexpr (Transferable<R>) decode(reader, value.emplace());
    }
  }
  void take_body(std::span<const std::byte> body) override {
    if constexpr (std::is_void_v<R>) {
      Reader(body).finish();
    } else if constexpr (DecodedLate<R>) {
      kept_body_.emplace(body.begin(), body.end());
    } else if constexpr (is_raw<R>) {
      decode_raw(body, value.emplace());
    } else {
      decode_whole(body);
    }
  }
  void materialize() override {
    if constexpr (DecodedLate<R>) {
      if (const auto body = std::exchange(kept_body_, std::nullopt)) decode_whole(*body);
    }
  }
  [[no_unique_address]] typename StorageFor<R>::type value;

 private:
  void decode_whole(std::span<const std::byte> body) {
    Reader reader(body);
    decode_value(reader);
    reader.finish();
  }

  [[no_unique_address]] std::conditional_t<DecodedLate<R>, std::optional<std::vector<std::byte>>, std::monostate>
      kept_body_;
};

// Arrays of so many bytes travel apart from the message. Smaller ones are cheaper copied into it, unless they make the
// body of a message with segments too large for a small frame.
inline constexpr std::size_t array_segment_threshold = 15'000;
inline constexpr std::size_t small_array_segment_threshold = 1024;

inline constexpr std::size_t largest_body_with_segments = 2048;

// Encodes once more when the body came out too large to stand beside its segments: with more arrays apart, and if that
// does not help with none.
template <class Encode>
void fit_body(Writer& writer, Encode&& encode_all, std::optional<Writer>& replacement) {
  for (const std::size_t threshold : {small_array_segment_threshold, Writer::never}) {
    const Writer& latest = replacement ? *replacement : writer;
    if (!latest.has_segments() || latest.body().size() <= largest_body_with_segments) return;
    writer.give_back_attachments();  // of what is not sent
    replacement.emplace(threshold);
    encode_all(*replacement);
  }
}

inline constexpr std::size_t largest_raw_reply = 512;  // bytes on the stack; larger ones take the general way

template <class R>
void reply_value(ReplyTo& reply, R&& result) {
  using Value = std::remove_cvref_t<R>;
  if (reply.state) {
    auto* const state = static_cast<ResultState<Value>*>(std::exchange(reply.state, nullptr));
    if (state->claim()) {
      state->value.emplace(std::forward<R>(result));
      state->finish();
    }
    state->release();
    return;
  }
  if (reply.call_id == 0) return;
  if constexpr (is_raw<Value> && sizeof(Value) <= largest_raw_reply) {
    std::array<std::byte, sizeof(wire::FrameHeader) + sizeof(Value)> frame;
    encode_raw(frame.data() + sizeof(wire::FrameHeader), std::as_const(result));
    reply.endpoint->reply_raw(reply.rank, reply.call_id, frame);
    return;
  }
  const bool arrays_apart = library_decodable<Value> && reply.rank != reply.endpoint->rank();
  Writer& writer = scratch_writer(arrays_apart);
  encode(writer, std::as_const(result));
  if (writer.segments().empty()) {
    reply.endpoint->reply(reply.rank, reply.call_id, writer, nullptr);
    return;
  }
  auto kept = std::make_shared<Value>(std::forward<R>(result));
  const auto encode_kept = [&kept](Writer& target) { encode(target, std::as_const(*kept)); };
  writer.clear();
  encode_kept(writer);
  std::optional<Writer> replacement;
  fit_body(writer, encode_kept, replacement);
  reply.endpoint->reply(reply.rank, reply.call_id, replacement ? *replacement : writer, std::move(kept));
}

template <class T, auto Method, class Values>
decltype(auto) apply_method(T& object, Values& values) {
  using Parameters = typename Signature<decltype(Method)>::Parameters;
  return [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
    return (object.*Method)(
        static_cast<std::conditional_t<std::is_lvalue_reference_v<std::tuple_element_t<I, Parameters>>,
                                       const std::tuple_element_t<I, Values>&, std::tuple_element_t<I, Values>&&>>(
            std::get<I>(values))...);
  }
  (std::make_index_sequence<std::tuple_size_v<Values>>{});
}

// Defined in async.hpp: starts a coroutine handler whose arguments are moved into its frame.
template <class T, auto Method, class Values>
void start_coroutine(Invocation& invocation, T& object, Values&& values);

template <class T, auto Method, class Values>
void run_method(Invocation& invocation, Values& values) {
  using S = Signature<decltype(Method)>;
  T& object = *static_cast<T*>(object_as<T>(invocation));
  invocation.started = true;
  if constexpr (AsyncResult<typename S::Result>::is_async) {
    start_coroutine<T, Method>(invocation, object, std::move(values));
  } else if constexpr (std::is_void_v<typename S::Result>) {
    apply_method<T, Method>(object, values);
    invocation.reply.done_without_value();
  } else {
    reply_value(invocation.reply, apply_method<T, Method>(object, values));
  }
}

template <class Values>
void decode_all(Reader& reader, Values& values) {
  std::apply([&reader](auto&... each) { (decode(reader, each), ...); }, values);
}

template <class... T>
void decode_whole(std::span<const std::byte> body, std::tuple<T...>& values) {
  if constexpr (AllRaw<T...>) {
    std::apply([body](auto&... each) { decode_raw(body, each...); }, values);
  } else {
    Reader reader(body);
    decode_all(reader, values);
    reader.finish();
  }
}

template <class T, auto Method>
void invoke_method(Invocation& invocation) {
  typename Signature<decltype(Method)>::Values values;
  decode_whole(invocation.body, values);
  run_method<T, Method>(invocation, values);
}

template <class T, auto Method>
class PreparedFor final : public PreparedArguments {
 public:
  explicit PreparedFor(Reader& reader) {
    decode_all(reader, values_);
    reader.finish();
  }
  void invoke(Invocation& invocation) override { run_method<T, Method>(invocation, values_); }

 private:
  typename Signature<decltype(Method)>::Values values_;
};

template <class T, auto Method>
std::unique_ptr<PreparedArguments> prepare_method(Reader& reader) {
  return std::make_unique<PreparedFor<T, Method>>(reader);
}

// A call between nodes of one rank: the arguments stay what they are.
class LocalCallBase : public Entry, public recycled::Object {
 public:
  // Takes over one reference to the state; nullptr: a post.
  LocalCallBase(const CallSetup& setup, CallState* state);
  ~LocalCallBase() override;
  void set_takes_room() { takes_room_ = true; }
  // It is the caller's next call. Once, when it is admitted: a call that is refused leaves no trace in ids.
  void take_index();
  const CallState* state() const { return state_; }
  Step run(NodeSlot& node) override;
  void drop(const char* reason) override;
  bool holds(RankId from, std::uint64_t call_id) const override;
  bool serves(const void* state) const override { return state == state_; }

 protected:
  virtual void invoke(Invocation& invocation) = 0;

 private:
  CallSetup setup_;
  CallState* state_;
  bool takes_room_ = false;
  std::uint64_t caller_ = 0;
  std::uint64_t chain_ = 0;
  std::uint32_t call_index_ = 0;
};

// `Values`: the arguments, or references to them where the caller waits.
template <class T, auto Method, class Values = typename Signature<decltype(Method)>::Values>
class LocalCall final : public LocalCallBase {
 public:
  template <class... Args>
  LocalCall(const CallSetup& setup, CallState* state, Args&&... args)
      : LocalCallBase(setup, state), values_(std::forward<Args>(args)...) {}

 private:
  void invoke(Invocation& invocation) override { run_method<T, Method>(invocation, values_); }

  Values values_;
};

}  // namespace slipway::detail
