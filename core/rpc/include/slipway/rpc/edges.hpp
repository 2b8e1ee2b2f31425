// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cereal/cereal.hpp>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "slipway/base/ids.hpp"
#include "slipway/rpc/cereal_archive.hpp"
#include "slipway/rpc/kinds.hpp"

// Finds the handles inside constructor arguments: the edges of the graph. It looks into standard containers, pairs,
// tuples, optionals, variants, smart pointers, the fields of aggregates, and whatever a class with cereal's serialize
// gives to an archive. What it cannot see still works; only order and traffic are then unknown.
namespace slipway {

// Handles and groups: a nested type slipway_handle_tag, and visit_nodes(fn), which calls fn(NodeId, program) for each node
// named.
template <class T>
concept HandleLike = requires {
  typename T::slipway_handle_tag;
};

namespace detail {

using NodeVisitor = std::function<void(NodeId node, std::uint64_t program)>;

template <class T>
void visit_handles(const T& value, const NodeVisitor& visit);

// Collects the handles that a user's serialize or save shows.
class EdgeArchive : public cereal::OutputArchive<EdgeArchive, cereal::AllowEmptyClassElision> {
  using Base = cereal::OutputArchive<EdgeArchive, cereal::AllowEmptyClassElision>;

 public:
  explicit EdgeArchive(const NodeVisitor& visit) : Base(this), visit_(visit) {}

  template <class... Ts>
  EdgeArchive& operator()(Ts&&... values) {
    (one(values), ...);
    return *this;
  }
  template <class T>
  EdgeArchive& operator&(T&& value) {
    return (*this)(value);
  }
  template <class T>
  EdgeArchive& operator<<(T&& value) {
    return (*this)(value);
  }
  template <class T>
  void by_cereal(const T& value) {
    Base::operator()(value);
  }

 private:
  template <class T>
  void one(const T& value) {
    if constexpr (is_named<T>) {
      one(value.value);
    } else if constexpr (is_base<T>) {
      one(*value.base_ptr);
    } else if constexpr (is_map_item<T>) {
      one(value.key);
      one(value.value);
    } else if constexpr (is_cereal_own<T>) {
      by_cereal(value);
    } else if constexpr (!is_size<T> && !is_binary<T>) {
      visit_handles(value, visit_);
    }
  }

  const NodeVisitor& visit_;
};

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(EdgeArchive& archive, cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}
template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(EdgeArchive&, const T&) {}
inline void CEREAL_SAVE_FUNCTION_NAME(EdgeArchive&, const std::string&) {}

template <class T>
concept SmartPointer = in_std<T>() && requires(const T& pointer) {
  typename T::element_type;
  pointer.get();
  *pointer;
};

// Elements of a range, unless nothing can be in them.
template <class T>
void visit_range(const T& range, const NodeVisitor& visit) {
  if constexpr (!is_raw<std::remove_cvref_t<decltype(*std::begin(range))>>) {
    for (const auto& element : range) visit_handles(element, visit);
  }
}

template <class T, std::size_t... is>
void visit_alternative(const T& variant, const NodeVisitor& visit, std::index_sequence<is...>) {
  static_cast<void>(((variant.index() == is && (visit_handles(get<is>(variant), visit), true)) || ...));
}

template <class T>
void visit_in_std(const T& value, const NodeVisitor& visit) {
  if constexpr (is_product<T>) {
    std::apply([&visit](const auto&... elements) { (visit_handles(elements, visit), ...); }, value);
  } else if constexpr (is_vector_bool<T> || is_string<T> || PathLike<T>) {
    return;
  } else if constexpr (OptionalLike<T>) {
    if (value.has_value()) visit_handles(*value, visit);
  } else if constexpr (VariantLike<T>) {
    if (!value.valueless_by_exception()) {
      visit_alternative(value, visit, std::make_index_sequence<Arguments<T>::size>{});
    }
  } else if constexpr (SmartPointer<T>) {
    if (value != nullptr) visit_handles(*value, visit);
  } else if constexpr (is_std_array<T> || Iterable<T>) {
    visit_range(value, visit);
  }
}

template <class T>
void visit_handles(const T& value, const NodeVisitor& visit) {
  if constexpr (HandleLike<T>) {
    value.visit_nodes(visit);
  } else if constexpr (std::is_bounded_array_v<T>) {
    visit_range(value, visit);
  } else if constexpr (!std::is_class_v<T> || is_raw<T>) {
    return;
  } else if constexpr (in_std<T>()) {
    visit_in_std(value, visit);
  } else if constexpr (Walkable<T>) {
    with_fields(value, [&visit](const auto&... fields) { (visit_handles(fields, visit), ...); });
  } else if constexpr (cereal::traits::is_output_serializable<T, EdgeArchive>::value) {
    EdgeArchive(visit).by_cereal(value);
  }
}

}  // namespace detail

// Calls fn(NodeId, number of the Program that gave it) for each handle found in `value`, in the order of its parts; one node may come more than once.
template <class T, class Fn>
void for_each_handle(const T& value, Fn&& fn) {
  const detail::NodeVisitor visit = std::ref(fn);
  detail::visit_handles(value, visit);
}

}  // namespace slipway
