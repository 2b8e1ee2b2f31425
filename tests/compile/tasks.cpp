// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Compiles as it is. With one of the macros defined it must not, and the compiler must print the sentence of that case.
#include <slipway/slipway.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

int twice(int value) { return 2 * value; }
double mean(const std::vector<double>& values) { return values.empty() ? 0 : values[0]; }
void take_pointer(int*) {}
void take_reference(int&) {}
void take_view(std::string_view) {}
const std::string& give_reference() {
  static const std::string text;
  return text;
}
std::string_view give_view() { return {}; }
struct Service {
  int method(int value) { return value; }
  static int function(int value) { return value; }
};
double scaled(std::uint64_t index, double factor) { return factor * static_cast<double>(index); }
double of_context(slipway::TaskContext&, std::uint64_t index) { return static_cast<double>(index); }
double of_text(const std::string&) { return 0; }
double add(double left, double right) { return left + right; }
double solve(slipway::Gang&, double value) { return value; }
void count(slipway::Yield<int>& yield, int end) { yield(end); }
struct NoValue {
  int* pointer = nullptr;
};

void tasks() {
  const slipway::Ref<int> two = slipway::submit<&twice>(1);
  const slipway::Ref<double> number = slipway::submit<&mean>(std::vector<slipway::Ref<double>>());
  static_cast<void>(slipway::submit<&Service::function>(two));
  static_cast<void>(slipway::submit<[](int left, double right) { return left * right; }>(two, number));
  slipway::parallel_for<&scaled>(10, 2.0);
  static_cast<void>(slipway::parallel_map<&scaled>({.chunk = 5}, 10, number));
  static_cast<void>(slipway::map_reduce<&scaled, &add>(10, 0.0, 2.0));
  static_cast<void>(slipway::gang<&solve>(slipway::on({.cpus = 2}), 2, number));
  static_cast<void>(slipway::stream<&count>(two).next());
  static_cast<void>(slipway::stream<[](slipway::Yield<double>& yield) { yield(1); }>(slipway::on({.gpus = 1})));
#if defined(TASK_TOO_FEW_ARGUMENTS)
  slipway::submit<&twice>();
#elif defined(TASK_WRONG_ARGUMENT)
  slipway::submit<&twice>(std::string("one"));
#elif defined(TASK_NARROWED_ARGUMENT)
  slipway::submit<&twice>(1.5);
#elif defined(TASK_NARROWED_REF)
  slipway::submit<&twice>(number);
#elif defined(TASK_EXPLICIT_CONVERSION)
  slipway::submit<&mean>(number);
#elif defined(TASK_WRONG_REFS)
  slipway::submit<&mean>(std::vector<slipway::Ref<std::string>>());
#elif defined(TASK_POINTER_PARAMETER)
  slipway::submit<&take_pointer>(nullptr);
#elif defined(TASK_REFERENCE_PARAMETER)
  slipway::submit<&take_reference>(1);
#elif defined(TASK_VIEW_PARAMETER)
  slipway::submit<&take_view>("text");
#elif defined(TASK_REFERENCE_RESULT)
  slipway::submit<&give_reference>();
#elif defined(TASK_VIEW_RESULT)
  slipway::submit<&give_view>();
#elif defined(TASK_OF_METHOD)
  slipway::submit<&Service::method>(1);
#elif defined(LOOP_OF_CONTEXT)
  slipway::parallel_for<&of_context>(10);
#elif defined(LOOP_WITHOUT_INDEX)
  slipway::parallel_for<&of_text>(10);
#elif defined(LOOP_TOO_FEW_ARGUMENTS)
  slipway::parallel_for<&scaled>(10);
#elif defined(LOOP_WRONG_ARGUMENT)
  slipway::parallel_for<&scaled>(10, std::string("two"));
#elif defined(MAP_REDUCE_OTHER_START)
  slipway::map_reduce<&scaled, &add>(10, 0, 2.0);
#elif defined(TASK_OF_GANG)
  slipway::submit<&solve>(1.0);
#elif defined(GANG_WITHOUT_GANG)
  slipway::gang<&add>(2, 1.0, 2.0);
#elif defined(GANG_WRONG_ARGUMENT)
  slipway::gang<&solve>(2, std::string("one"));
#elif defined(STREAM_WITHOUT_YIELD)
  slipway::stream<&add>(1.0, 2.0);
#elif defined(STREAM_OF_POINTERS)
  slipway::stream<[](slipway::Yield<NoValue>& yield) { yield(NoValue()); }>();
#elif defined(STREAM_WRONG_ARGUMENT)
  slipway::stream<&count>(std::string("one"));
#elif defined(PUT_POINTER)
  slipway::put(NoValue());
#endif
}
