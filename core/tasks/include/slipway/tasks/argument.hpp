// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "slipway/rpc/call.hpp"
#include "slipway/tasks/ref.hpp"

// What may stand for a parameter of a task: a value, a Ref to one, an outcome of `wait`, and containers of these in the
// place of containers of values.
namespace slipway {

template <class T>
class Done;

namespace detail {

// Goes through the refs that stand for values, and gathers what they name.
class RefCollector {
 public:
  enum class Kind : std::uint8_t {
    missing,  // what has no value yet, or a failure
    large,    // what may lie elsewhere
  };
  RefCollector(Kind kind, std::vector<ObjectPart*>& found) : kind_(kind), found_(found) {}
  template <class T>
  void operator()(const Ref<T>& ref) {
    if (kind_ == Kind::missing) {
      ObjectOf<T>& object = ref.wanted();
      if (!object.done() || object.failed()) found_.push_back(&object);
    } else if constexpr (may_stay<T>) {
      found_.push_back(&ref.object());
    }
  }

 private:
  const Kind kind_;
  std::vector<ObjectPart*>& found_;
};

// Explicit conversions are none: a number is no vector of so many zeros.
template <class Parameter, class Argument>
inline constexpr bool takes_as_it_is =
    TakesWithoutNarrowing<Parameter, Argument>&& std::is_convertible_v<Argument, Parameter>;

// Writes that the value goes along, with its id, and the value; or that it does not (false).
bool write_inline(Writer& writer, ObjectPart& object);
// A ref to where the value is, for who needs no more of it than the value.
void write_argument_ref(Writer& writer, ObjectPart& object);
// The id; 0: the value does not go along.
std::uint64_t read_inline(Reader& reader);

// A ref that stands for a value, on its way to another rank: with the value, if that is there and small.
template <class T>
void write_argument(Writer& writer, const Ref<T>& ref);
template <class T>
void read_argument(Reader& reader, Ref<T>& ref);

// A value of `Parameter` made from what the task holds of `Argument`. `Held` is what it holds; `resolve` is called once
// all refs in it have values, and gives a reference where the value is there already. `write` and `read`: where the
// task goes to another rank; `plain`: these run no user code; `large`: a value that a ref names may lie elsewhere.
template <class Parameter, class Argument>
struct Stand {
  static constexpr bool possible = takes_as_it_is<Parameter, Argument>;
  using Held = Parameter;
  static Parameter hold(Argument argument) { return Parameter(std::forward<Argument>(argument)); }
  static void collect(const Held&, RefCollector&) {}
  static Held&& resolve(Held& held) { return std::move(held); }
  static constexpr bool plain = library_decodable<Held>;
  static constexpr bool large = false;
  static void write(Writer& writer, const Held& held) { encode(writer, held); }
  static void read(Reader& reader, Held& held) { decode(reader, held); }
};

template <class T>
void write_argument(Writer& writer, const Ref<T>& ref) {
  ObjectOf<T>& object = ref.object();
  const bool along = write_inline(writer, object);
  if (!along) write_argument_ref(writer, object);
}
template <class T>
void read_argument(Reader& reader, Ref<T>& ref) {
  const std::uint64_t id = read_inline(reader);
  if (id == 0) return ref.slipway_decode(reader);
  ref = Ref<T>(new ObjectOf<T>(id, nullptr));
  decode(reader, ref.object().value.emplace());
  static_cast<void>(ref.object().claim());
  ref.object().finish();
}

template <class T>
inline constexpr bool is_ref = false;
template <class T>
inline constexpr bool is_ref<Ref<T>> = true;
template <class T>
inline constexpr bool is_done = false;
template <class T>
inline constexpr bool is_done<Done<T>> = true;

// A ref to the value.
template <class Parameter, class Argument>
requires(is_ref<std::remove_cvref_t<Argument>> && !is_ref<Parameter>) struct Stand<Parameter, Argument> {
  using Held = std::remove_cvref_t<Argument>;
  using Value = typename Held::value_type;
  static constexpr bool possible = std::is_same_v<Parameter, Value> || takes_as_it_is<Parameter, const Value&>;
  static Held hold(Argument argument) {
    Held held(std::forward<Argument>(argument));
    static_cast<void>(held.object());  // one that names nothing is refused at once
    return held;
  }
  static void collect(const Held& held, RefCollector& collect) { collect(held); }
  static decltype(auto) resolve(const Held& held) {
    if constexpr (std::is_same_v<Parameter, Value>) {
      return held.object().look();
    } else {
      return Parameter(held.object().look());
    }
  }
  static constexpr bool plain = library_decodable<Value>;
  static constexpr bool large = may_stay<Value>;
  static void write(Writer& writer, const Held& held) { write_argument(writer, held); }
  static void read(Reader& reader, Held& held) { read_argument(reader, held); }
};

// An outcome of `wait`: its ref.
template <class Parameter, class Argument>
requires(is_done<std::remove_cvref_t<Argument>> && !is_done<Parameter>) struct Stand<Parameter, Argument> {
  using Reference = Ref<typename std::remove_cvref_t<Argument>::value_type>;
  using OfRef = Stand<Parameter, Reference>;
  static constexpr bool possible = OfRef::possible;
  using Held = typename OfRef::Held;
  static Held hold(Argument argument) { return OfRef::hold(std::forward<Argument>(argument).ref()); }
  static void collect(const Held& held, RefCollector& collect) { OfRef::collect(held, collect); }
  static decltype(auto) resolve(Held& held) { return OfRef::resolve(held); }
  static constexpr bool plain = OfRef::plain;
  static constexpr bool large = OfRef::large;
  static void write(Writer& writer, const Held& held) { OfRef::write(writer, held); }
  static void read(Reader& reader, Held& held) { OfRef::read(reader, held); }
};

template <class T>
inline constexpr bool holds_refs = is_ref<T> || is_done<T>;
template <class T, class A>
inline constexpr bool holds_refs<std::vector<T, A>> = holds_refs<T>;
template <class T>
inline constexpr bool holds_refs<std::optional<T>> = holds_refs<T>;
template <class... T>
inline constexpr bool holds_refs<std::tuple<T...>> = (holds_refs<T> || ...);
template <class A, class B>
inline constexpr bool holds_refs<std::pair<A, B>> = holds_refs<A> || holds_refs<B>;

// The element of a given argument, as it is passed on: moved out of an argument that is given away.
template <class Argument, class Element>
using ElementOf = std::conditional_t<std::is_lvalue_reference_v<Argument>, const Element&, Element&&>;

// A vector of refs.
template <class T, class A, class Argument>
requires(is_vector<std::remove_cvref_t<Argument>>&& holds_refs<typename std::remove_cvref_t<Argument>::value_type> &&
         !std::is_same_v<std::vector<T, A>, std::remove_cvref_t<Argument>>) struct Stand<std::vector<T, A>, Argument> {
  using Element = Stand<T, ElementOf<Argument, typename std::remove_cvref_t<Argument>::value_type>>;
  static constexpr bool possible = Element::possible;
  using Held = std::vector<typename Element::Held>;
  static Held hold(Argument argument) {
    Held held;
    held.reserve(argument.size());
    for (auto& each : argument) {
      held.push_back(
          Element::hold(static_cast<ElementOf<Argument, typename std::remove_cvref_t<Argument>::value_type>>(each)));
    }
    return held;
  }
  static void collect(const Held& held, RefCollector& collect) {
    for (const auto& each : held) Element::collect(each, collect);
  }
  static std::vector<T, A> resolve(Held& held) {
    std::vector<T, A> values;
    values.reserve(held.size());
    for (auto& each : held) values.push_back(Element::resolve(each));
    return values;
  }
  static constexpr bool plain = Element::plain;
  static constexpr bool large = Element::large;
  static void write(Writer& writer, const Held& held) {
    writer.size(held.size());
    for (const auto& each : held) Element::write(writer, each);
  }
  static void read(Reader& reader, Held& held) {
    const std::size_t count = reader.count();
    for (std::size_t i = 0; i < count; ++i) Element::read(reader, held.emplace_back());
  }
};

template <class T, class Argument>
requires(holds_refs<std::remove_cvref_t<Argument>>&& OptionalLike<std::remove_cvref_t<Argument>> &&
         !std::is_same_v<std::optional<T>, std::remove_cvref_t<Argument>>) struct Stand<std::optional<T>, Argument> {
  using Element = Stand<T, ElementOf<Argument, typename std::remove_cvref_t<Argument>::value_type>>;
  static constexpr bool possible = Element::possible;
  using Held = std::optional<typename Element::Held>;
  static Held hold(Argument argument) {
    Held held;
    if (argument) {
      held.emplace(Element::hold(
          static_cast<ElementOf<Argument, typename std::remove_cvref_t<Argument>::value_type>>(*argument)));
    }
    return held;
  }
  static void collect(const Held& held, RefCollector& collect) {
    if (held) Element::collect(*held, collect);
  }
  static std::optional<T> resolve(Held& held) {
    std::optional<T> value;
    if (held) value.emplace(Element::resolve(*held));
    return value;
  }
  static constexpr bool plain = Element::plain;
  static constexpr bool large = Element::large;
  static void write(Writer& writer, const Held& held) {
    encode(writer, held.has_value());
    if (held) Element::write(writer, *held);
  }
  static void read(Reader& reader, Held& held) {
    bool present = false;
    decode(reader, present);
    if (present) Element::read(reader, held.emplace());
  }
};

// A tuple with refs, for a tuple, a pair or an aggregate of as many fields.
template <class Parameter, class Fields, class Argument, class Elements>
struct StandFieldwise {
  static constexpr bool possible = false;
};
template <class Parameter, class... P, class Argument, class... E>
requires(sizeof...(P) == sizeof...(E)) struct StandFieldwise<Parameter, TypeList<P...>, Argument, TypeList<E...>> {
  static constexpr bool possible = (Stand<P, ElementOf<Argument, E>>::possible && ...);
  using Held = std::tuple<typename Stand<P, ElementOf<Argument, E>>::Held...>;
  static Held hold(Argument argument) {
    return std::apply(
        [](auto&&... each) {
          return Held(Stand<P, ElementOf<Argument, E>>::hold(static_cast<ElementOf<Argument, E>>(each))...);
        },
        argument);
  }
  static void collect(const Held& held, RefCollector& collect) {
    std::apply([&collect](const auto&... each) { (Stand<P, ElementOf<Argument, E>>::collect(each, collect), ...); },
               held);
  }
  static Parameter resolve(Held& held) {
    return std::apply([](auto&... each) { return Parameter{Stand<P, ElementOf<Argument, E>>::resolve(each)...}; },
                      held);
  }
  static constexpr bool plain = (Stand<P, ElementOf<Argument, E>>::plain && ...);
  static constexpr bool large = (Stand<P, ElementOf<Argument, E>>::large || ...);
  static void write(Writer& writer, const Held& held) {
    std::apply([&writer](const auto&... each) { (Stand<P, ElementOf<Argument, E>>::write(writer, each), ...); }, held);
  }
  static void read(Reader& reader, Held& held) {
    std::apply([&reader](auto&... each) { (Stand<P, ElementOf<Argument, E>>::read(reader, each), ...); }, held);
  }
};

template <class T>
struct FieldsOf {
  using type = TypeList<>;
};
template <class T>
requires(is_product<T>) struct FieldsOf<T> {
  using type = Arguments<T>;
};
template <class T>
requires(!is_product<T> && std::is_aggregate_v<T> && Walkable<T>) struct FieldsOf<T> {
  using type = FieldTypes<T>;
};

template <class Parameter, class Argument>
requires(is_product<std::remove_cvref_t<Argument>>&& holds_refs<std::remove_cvref_t<Argument>> &&
         !std::is_same_v<Parameter, std::remove_cvref_t<Argument>>) struct Stand<Parameter, Argument>
    : StandFieldwise<Parameter, typename FieldsOf<Parameter>::type, Argument,
                     Arguments<std::remove_cvref_t<Argument>>> {
};

}  // namespace detail
}  // namespace slipway
