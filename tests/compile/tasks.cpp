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
struct NoValue {
  int* pointer = nullptr;
};

void tasks() {
  const slipway::Ref<int> two = slipway::submit<&twice>(1);
  const slipway::Ref<double> number = slipway::submit<&mean>(std::vector<slipway::Ref<double>>());
  static_cast<void>(slipway::submit<&Service::function>(two));
  static_cast<void>(slipway::submit<[](int left, double right) { return left * right; }>(two, number));
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
#elif defined(PUT_POINTER)
  slipway::put(NoValue());
#endif
}
