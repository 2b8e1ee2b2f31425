// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace slipway::detail {

// Gives an empty vector `count` elements whose bytes the caller fills at once. std::vector has no way to leave them
// uninitialised, and filling them first costs a second pass over a large array's memory. libstdc++ lets its end be
// moved through a base whose member is public; elsewhere, and where a checker follows the vector's bounds, they are
// filled. T is trivially copyable, so its bytes are all that it is.
template <class T, class A>
void resize_uninitialized(std::vector<T, A>& vector, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  vector.clear();
#if defined(__GLIBCXX__) && !defined(_GLIBCXX_DEBUG) && !defined(_GLIBCXX_SANITIZE_VECTOR)
  if constexpr (std::is_same_v<A, std::allocator<T>>) {
    vector.reserve(count);
    auto& base = (std::_Vector_base<T, A>&)vector;  // only this cast reaches the base
    base._M_impl._M_finish = base._M_impl._M_start + count;
  } else {
    vector.resize(count);
  }
#else
  vector.resize(count);
#endif
}

}  // namespace slipway::detail
