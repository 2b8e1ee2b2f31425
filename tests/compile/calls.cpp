// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// Compiles as it is. With one of the macros defined it must not, and the compiler must print the sentence of that case.
#include <slipway/slipway.hpp>
#include <string>
#include <string_view>
#include <vector>

struct Service {
  explicit Service(int start) : value(start) {}
  int add(int more) { return value += more; }
  std::vector<double> scale(const std::vector<double>& values, double factor) const {
    std::vector<double> scaled(values);
    for (double& each : scaled) each *= factor;
    return scaled;
  }
  void take_pointer(int* target) { *target = value; }
  void take_reference(int& target) { target = value; }
  void take_view(std::string_view) {}
  int& give_reference() { return value; }
  std::string_view give_view() { return {}; }
  int value;
};

struct Other {
  int act() { return 1; }
};

struct Worker {
  slipway::Handle<Service> service;
  void run(slipway::Context&);
  int peek() { return 0; }
};

struct OpenWorker {
  void run() {}
  int peek() { return 0; }
  int hidden() { return 0; }
  using slipway_interface = slipway::interface<&OpenWorker::peek>;
};

struct BadRun {
  void run(int) {}
};

void Worker::run(slipway::Context&) {
  [[maybe_unused]] const auto& s = service;
  static_cast<void>(s.get<&Service::add>(1));
  static_cast<void>(s.get<&Service::scale>(std::vector<double>{1.0}, 2.0));
  static_cast<void>(slipway::Handle<OpenWorker>().call<&OpenWorker::peek>());
#if defined(WRONG_CLASS)
  s.call<&Other::act>();
#elif defined(TOO_FEW_ARGUMENTS)
  s.call<&Service::add>();
#elif defined(WRONG_ARGUMENT)
  s.call<&Service::add>(std::string("one"));
#elif defined(NARROWED_ARGUMENT)
  s.call<&Service::add>(1.5);
#elif defined(POINTER_PARAMETER)
  s.call<&Service::take_pointer>(nullptr);
#elif defined(REFERENCE_PARAMETER)
  int target = 0;
  s.call<&Service::take_reference>(target);
#elif defined(VIEW_PARAMETER)
  s.call<&Service::take_view>(std::string_view("a"));
#elif defined(REFERENCE_RESULT)
  s.call<&Service::give_reference>();
#elif defined(VIEW_RESULT)
  s.call<&Service::give_view>();
#elif defined(WORKER_METHOD)
  slipway::Handle<Worker>().call<&Worker::peek>();
#elif defined(RUN_CALLED)
  slipway::Handle<OpenWorker>().call<&OpenWorker::run>();
#elif defined(OUTSIDE_INTERFACE)
  slipway::Handle<OpenWorker>().call<&OpenWorker::hidden>();
#endif
}

int main(int argc, char** argv) {
  slipway::Program program("calls");
  auto service = program.node<Service>("service", 1);
  program.node<Worker>("worker", service);
#if defined(WRONG_CONSTRUCTOR)
  program.node<Service>("other", std::string("one"));
#elif defined(WRONG_RUN)
  program.node<BadRun>("bad");
#elif defined(NO_CLASS)
  program.node<int>("number", 1);
#endif
  return slipway::launch(program, argc, argv);
}
