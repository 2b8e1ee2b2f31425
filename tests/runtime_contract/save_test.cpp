// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
// States that are saved on request, while the program runs.
#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <string>

#include "everywhere.hpp"
#include "slipway/observe/run_directory.hpp"
#include "slipway/observe/status.hpp"
#include "tools/temporary_directory.hpp"

namespace slipway::test {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryDirectory;

// One run directory, and what is in it.
class RunFolder {
 public:
  Conditions attempt(const Conditions& given, std::uint32_t number = 1) const {
    Conditions setup = given;
    setup.options.push_back({"run-directory", directory_.path().string()});
    setup.options.push_back({"attempt", std::to_string(number)});
    return setup;
  }
  const std::filesystem::path& path() const { return directory_.path(); }
  bool is_complete(std::uint32_t number) const { return std::filesystem::exists(state(number) / "manifest.json"); }
  bool has_part(std::uint32_t number, const std::string& node) const {
    return std::filesystem::exists(state(number) / (node + ".state"));
  }
  std::uint32_t saved_state() const { return read_status(path()).value_or(RunStatus{}).saved_state; }
  // Whether what the controller's rank has logged holds the text.
  bool logged(const std::string& text) const {
    return read_file(RunDirectory::at(path()).log_file(0)).value_or("").find(text) != std::string::npos;
  }

 private:
  std::filesystem::path state(std::uint32_t number) const { return path() / "state" / std::to_string(number); }

  TemporaryDirectory directory_;
};

template <class Condition>
bool comes_true(const Running& running, Condition&& condition) {
  for (int look = 0; look < 5'000; ++look) {
    if (condition()) return true;
    running.sleep_for(2ms);
  }
  return condition();
}

struct Record {
  std::atomic<int> saves{0};
  std::atomic<int> notices{0};
  std::atomic<int> handlers{0};
  std::atomic<int> handlers_at_save{-1};
  std::atomic<int> restored{-1};
  std::atomic<bool> overlapped{false};
};

struct Adviser {
  int answer(int value) { return value; }
};

struct Ledger {
  Context& context;
  Record* record;
  std::chrono::milliseconds time_to_save;
  Handle<Adviser> other;
  int sum = 0;
  bool busy = false;

  Ledger(Context& c, Record* r, std::chrono::milliseconds time, Handle<Adviser> o)
      : context(c), record(r), time_to_save(time), other(o) {
    if (context.on_restore([this](std::istream& in) { in >> sum; })) record->restored = sum;
    context.on_notice([this](std::chrono::nanoseconds) { ++record->notices; });
    context.on_save([this](std::ostream& out) {
      enter(time_to_save);
      record->handlers_at_save = record->handlers.load();
      ++record->saves;
      out << other.get<&Adviser::answer>(sum);  // hooks may call
    });
  }
  // A node is serial: its hook is no exception.
  void enter(std::chrono::nanoseconds time) {
    if (busy) record->overlapped = true;
    busy = true;
    seam::sleep_until(seam::after(time));
    busy = false;
  }
  int add(int value) {
    enter(1ms);
    ++record->handlers;
    return sum += value;
  }
  void hold_until_notice() {
    while (!context.time_left() && !context.stop_requested()) seam::sleep_until(seam::after(1ms));
    seam::sleep_until(seam::after(20ms));
  }
  void ask(int times) {
    for (; times > 0; --times) context.save("asked by a handler");
  }
};

struct LedgerUser {
  Handle<Ledger> store;
  void run(Context& context) {
    while (!context.stop_requested()) store.get<&Ledger::add>(1);
  }
};

Handle<Ledger> add_ledger(Program& program, const Conditions& setup, Record& record, std::chrono::milliseconds time) {
  const auto other_node = program.node<Adviser>("friend");
  const auto store = program.with(on_rank(other(setup))).node<Ledger>("store", &record, time, other_node);
  program.with(on_rank(0)).node<LedgerUser>("worker", store);
  return store;
}

TEST(SaveOnRequest, Contract16_TheProgramGoesOnAndTheNextAttemptBeginsWithTheState) {
  everywhere([](const Conditions& given) {
    const RunFolder run;
    Record record;
    {
      const Conditions setup = run.attempt(given);
      Program program("saves");
      const auto store = add_ledger(program, setup, record, 1ms);
      const auto result = testing::run(program, setup, [&](Running& running) {
        running.sleep_for(10ms);
        store.get<&Ledger::ask>(1);
        EXPECT_TRUE(comes_true(running, [&] { return run.saved_state() == 1; }));
        const int then = record.handlers;
        EXPECT_TRUE(comes_true(running, [&] { return record.handlers > then; })) << "it does not go on";
      });
      EXPECT_EQ(result.status, 0) << result.failure;
    }
    EXPECT_EQ(record.saves, 1);
    EXPECT_EQ(record.notices, 0);
    EXPECT_FALSE(record.overlapped);
    EXPECT_TRUE(run.is_complete(1));
    EXPECT_TRUE(run.logged("state 1 is to be saved: store: asked by a handler"));
    EXPECT_TRUE(run.logged("state 1 is saved: 1 node, "));
    const Conditions setup = run.attempt(given, 2);
    Program program("saves");
    add_ledger(program, setup, record, 1ms);
    const auto result = testing::run(program, setup, [](Running&) {});
    EXPECT_EQ(result.status, 0) << result.failure;
    EXPECT_EQ(record.restored, record.handlers_at_save);
    EXPECT_EQ(run.saved_state(), 1U);
  });
}

TEST(SaveOnRequest, ThoseThatComeMeanwhileAreServedTogetherByTheNextOne) {
  everywhere(
      [](const Conditions& given) {
        const RunFolder run;
        Record record;
        const Conditions setup = run.attempt(given);
        Program program("joined");
        const auto store = add_ledger(program, setup, record, 50ms);
        const auto result = testing::run(program, setup, [&](Running& running) {
          store.get<&Ledger::ask>(5);  // one begins, and the others find it under way
          EXPECT_TRUE(comes_true(running, [&] { return run.saved_state() == 2; }));
          running.sleep_for(200ms);
        });
        EXPECT_EQ(result.status, 0) << result.failure;
        EXPECT_EQ(record.saves, 2);
        EXPECT_FALSE(run.is_complete(3));
      },
      4);
}

TEST(SaveOnRequest, AFileInTheRunDirectoryAsksToo) {
  everywhere(
      [](const Conditions& given) {
        const RunFolder run;
        Record record;
        const Conditions setup = run.attempt(given);
        Program program("by_file");
        add_ledger(program, setup, record, 1ms);
        const RunDirectory directory = RunDirectory::at(run.path());
        const auto result = testing::run(program, setup, [&](Running& running) {
          directory.request_save("from outside");
          EXPECT_TRUE(comes_true(running, [&] { return run.saved_state() == 1; }));
        });
        EXPECT_EQ(result.status, 0) << result.failure;
        EXPECT_FALSE(directory.save_requested());
        EXPECT_TRUE(run.logged("state 1 is to be saved: from outside"));
      },
      4);
}

struct AsksAtOnce {
  explicit AsksAtOnce(Context& context) {
    context.on_save([](std::ostream& out) { out << 1; });
    context.save("in the constructor");
    seam::sleep_until(seam::after(50ms));
  }
};

TEST(SaveOnRequest, BeforeTheStartItWaitsForTheNodes) {
  everywhere(
      [](const Conditions& given) {
        const RunFolder run;
        const Conditions setup = run.attempt(given);
        Program program("early");
        program.with(on_rank(other(setup))).node<AsksAtOnce>("early");
        const auto result = testing::run(program, setup, [&](Running& running) {
          EXPECT_TRUE(comes_true(running, [&] { return run.saved_state() == 1; }));
        });
        EXPECT_EQ(result.status, 0) << result.failure;
      },
      4);
}

TEST(SaveOnRequest, Contract9_ANoticeInTheMiddleIsNotLostAndTakesItsPlace) {
  everywhere([](const Conditions& given) {
    const RunFolder run;
    Record record;
    const Conditions setup = run.attempt(given);
    Program program("notice_meanwhile");
    const auto store = add_ledger(program, setup, record, 500ms);
    Record record_of_busy;
    const auto busy = program.with(on_rank(other(setup)))
                          .node<Ledger>("busy", &record_of_busy, 1ms, program.node<Adviser>("friend_of_busy"));
    const auto result = testing::run(program, setup, [&](Running& running) {
      busy.post<&Ledger::hold_until_notice>();
      store.get<&Ledger::ask>(2);
      EXPECT_TRUE(comes_true(running, [&] { return read_status(run.path())->saving == 1; }));
      running.give_notice();
      running.sleep_for(2s);
    });
    EXPECT_EQ(result.status, 75) << result.failure;
    EXPECT_EQ(record.notices, 1);
    EXPECT_EQ(record_of_busy.saves, 1) << "what the notice makes vain is not begun";
    EXPECT_FALSE(record.overlapped);
    EXPECT_FALSE(run.is_complete(1));
    EXPECT_TRUE(run.is_complete(2));
    EXPECT_EQ(run.saved_state(), 2U);
    EXPECT_TRUE(run.logged("state 1 is given up"));
  });
}

TEST(SaveOnRequest, Contract8_AStopInTheMiddleWaitsForIt) {
  everywhere([](const Conditions& given) {
    const RunFolder run;
    Record record;
    Conditions setup = run.attempt(given);
    setup.options.push_back({"stop-limit", setup.seed ? "20ms" : "1s"});
    Program program("stop_meanwhile");
    const auto store =
        add_ledger(program, setup, record, setup.seed ? 200ms : 2'500ms);  // more than the limit of the stop
    const auto result = testing::run(program, setup, [&](Running& running) {
      store.get<&Ledger::ask>(1);
      EXPECT_TRUE(comes_true(running, [&] { return read_status(run.path())->saving == 1; }));
    });
    EXPECT_EQ(result.status, 0) << result.failure;
    EXPECT_TRUE(run.is_complete(1));
    EXPECT_EQ(run.saved_state(), 1U);
    EXPECT_EQ(read_status(run.path())->saving, 0U);
  });
}

struct FailsMeanwhile {
  void now() { throw std::runtime_error("it fails"); }
};

TEST(SaveOnRequest, Contract9_AFailureInTheMiddleEndsTheProgram) {
  everywhere(
      [](const Conditions& given) {
        const RunFolder run;
        Record record;
        const Conditions setup = run.attempt(given);
        Program program("failure_meanwhile");
        const auto store = add_ledger(program, setup, record, 100ms);
        const auto fails = program.with(on_rank(other(setup))).node<FailsMeanwhile>("fails");
        const auto result = testing::run(program, setup, [&](Running& running) {
          store.get<&Ledger::ask>(1);
          EXPECT_TRUE(comes_true(running, [&] { return read_status(run.path())->saving == 1; }));
          fails.post<&FailsMeanwhile::now>();
          running.sleep_for(1s);
        });
        EXPECT_EQ(result.status, 1);
        EXPECT_THAT(result.failure, HasSubstr("it fails"));
        EXPECT_FALSE(run.is_complete(1));
      },
      4);
}

struct BadSaveHook {
  Context& context;
  explicit BadSaveHook(Context& c) : context(c) {
    context.on_save([](std::ostream&) { throw std::runtime_error("the disk is full"); });
  }
  void ask() { context.save("asked"); }
};

TEST(SaveOnRequest, Contract9_AFailingHookIsAFailureOfItsNode) {
  everywhere(
      [](const Conditions& given) {
        const RunFolder run;
        const Conditions setup = run.attempt(given);
        Program program("bad_hook");
        const auto saver = program.with(on_rank(other(setup))).node<BadSaveHook>("saver");
        const auto result = testing::run(program, setup, [&](Running& running) {
          saver.get<&BadSaveHook::ask>();
          running.sleep_for(1s);
        });
        EXPECT_EQ(result.status, 1);
        EXPECT_THAT(result.failure, HasSubstr("saver"));
        EXPECT_THAT(result.failure, HasSubstr("the disk is full"));
        EXPECT_FALSE(run.is_complete(1));
      },
      4);
}

struct AsksAtTheNotice {
  explicit AsksAtTheNotice(Context& context) {
    context.on_save([](std::ostream& out) { out << 1; });
    context.on_notice([&context](std::chrono::nanoseconds) { context.save("at the notice"); });
  }
};

TEST(SaveOnRequest, AtANoticeItIsDropped) {
  everywhere(
      [](const Conditions& given) {
        const RunFolder run;
        const Conditions setup = run.attempt(given);
        Program program("late");
        program.with(on_rank(other(setup))).node<AsksAtTheNotice>("saver");
        const auto result = testing::run(program, setup, [](Running& running) {
          running.give_notice();
          running.sleep_for(1s);
        });
        EXPECT_EQ(result.status, 75) << result.failure;
        EXPECT_TRUE(run.is_complete(1));
        EXPECT_FALSE(run.is_complete(2));
        EXPECT_TRUE(run.logged("a request to save is dropped, since the program ends: saver: at the notice"));
      },
      4);
}

struct NothingToSave {
  Context& context;
  void ask() { context.save("for nothing"); }
};

TEST(SaveOnRequest, WithoutAHookOrARunDirectoryNothingIsSaved) {
  everywhere(
      [](const Conditions& given) {
        const RunFolder run;
        for (const bool with_directory : {true, false}) {
          const Conditions setup = with_directory ? run.attempt(given) : given;
          Program program("nothing");
          const auto node = program.with(on_rank(other(setup))).node<NothingToSave>("node");
          const auto result = testing::run(program, setup, [&](Running& running) {
            node.get<&NothingToSave::ask>();
            running.sleep_for(100ms);
          });
          EXPECT_EQ(result.status, 0) << result.failure;
        }
        EXPECT_TRUE(run.logged("state 1 is empty"));
        EXPECT_FALSE(std::filesystem::exists(run.path() / "state"));
      },
      4);
}

struct SlowSaveHook {
  Context& context;
  explicit SlowSaveHook(Context& c) : context(c) {
    context.on_save([this](std::ostream& out) {
      while (!context.stop_requested()) seam::sleep_until(seam::after(5ms));
      out << 1;
    });
  }
  void ask() { context.save("slowly"); }
};

TEST(SaveOnRequest, Contract10_OneThatTakesLongIsTold) {
  everywhere(
      [](const Conditions& given) {
        const RunFolder run;
        Conditions setup = run.attempt(given);
        setup.options.push_back({"stall-after", "100ms"});
        Program program("slow_hook");
        const auto saver = program.with(on_rank(other(setup))).node<SlowSaveHook>("saver");
        const auto result = testing::run(program, setup, [&](Running& running) {
          saver.get<&SlowSaveHook::ask>();
          EXPECT_TRUE(comes_true(running, [&] { return run.logged("state 1 is still being saved"); }));
        });
        EXPECT_EQ(result.status, 0) << result.failure;
      },
      4);
}

}  // namespace
}  // namespace slipway::test
