// Fused statements by loops that the system's compiler made: their bits against those of single
// calls, how they take over, and what becomes of them where compilers, disks and processes fail.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <iterator>
#include <limits>
#include <omp.h>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "cudamat/code/loaded_object.hpp"
#include "npmat/column_source.hpp"
#include "npmat/fused_loops.hpp"
#include "npmat/loop_source.hpp"
#include "npmat/map_tiles.hpp"
#include "npmat/system_compiler.hpp"
#include "tests/fused_cases.hpp"
#include "tests/python.hpp"
#include "tests/sanitizers.hpp"
#include "tests/thread_counts.hpp"

namespace {

namespace fs = std::filesystem;
using cudamat::Family;
using cudamat::FusedStep;
using cudamat::Index;
using cudamat::Op;
using cudamat::Spread;
using fused_cases::Case;
using fused_cases::check;
using fused_cases::input;
using fused_cases::Maker;
using fused_cases::number;
using fused_cases::step;
using npmat::SystemCompiler;
using npmat::fused::Compile;
using npmat::fused::compiled_runs;
using npmat::fused::set_compile_mode;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Whether a step of it is in loops.
template <class T>
bool is_inline(Op op) {
  return op == Op::where || cudamat::row(op).family == Family::Fill ||
         npmat::map_tile<T>(op).is_inline;
}

/// The files of a folder.
std::vector<std::string> files_of(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code gone;
  for (fs::directory_iterator at(folder, gone), end; !gone && at != end; at.increment(gone))
    names.push_back(at->path().filename());
  return names;
}

/// Caches and temporary files are in folders of the test's own.
class Loops : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(temporary());
    setenv("CUDAMAT_CACHE_DIR", cache().c_str(), 1);
    setenv("TMPDIR", temporary().c_str(), 1);
  }
  void TearDown() override {
    set_compile_mode(Compile::Off);
    omp_set_num_threads(omp_get_num_procs());
    for (const char* name : {"CUDAMAT_CACHE_DIR", "TMPDIR", "CXX"}) unsetenv(name);
  }

  [[nodiscard]] fs::path cache() const { return folder_.path() / "cache"; }
  [[nodiscard]] fs::path temporary() const { return folder_.path() / "temporary"; }

  /// A script that is a compiler to whoever asks for its version.
  [[nodiscard]] std::string compiler(const std::string& script) const {
    const fs::path path = folder_.path() / "compiler";
    std::ofstream(path) << "#!/bin/sh\ncase \"$*\" in *--version) echo ours; exit;; esac\n"
                        << script << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  /// Until nothing works there any more.
  void wait_for_temporary_files_to_go() const {
    const auto too_long = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!files_of(temporary()).empty()) {
      ASSERT_LT(std::chrono::steady_clock::now(), too_long);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

 private:
  tests::TemporaryFolder folder_;
};

// ---- bits ----

template <class T>
class LoopBits : public Loops {};
using Types = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(LoopBits, Types);

/// Each case by its loop, against the single calls.
template <class T>
void check_together(const std::vector<Case<T>>& cases) {
  set_compile_mode(Compile::Together);
  for (Case<T> met : cases) met.run([](const auto& call) { npmat::Engine<T>::fused(call); });
  ASSERT_GE(npmat::fused::compile_together(), 1);
  for (const Case<T>& each : cases) {
    const std::int64_t before = compiled_runs();
    check(each);
    if (testing::Test::HasFatalFailure()) return;
    ASSERT_EQ(compiled_runs(), before + 1) << each.text();
  }
}

/// A random one, with steps that loops have, and at least two.
template <class T>
Case<T> random_case(Maker<T>& maker, Index rows, Index cols, int direction,
                    bool uses_reductions = false) {
  for (;;) {
    Case<T> made = maker.make(rows, cols, direction, 7, uses_reductions);
    if (made.body.steps.size() < 2 || made.body.is_plain() == uses_reductions) continue;
    for (FusedStep& of : made.body.steps)  // the sign of a NaN is not promised
      if (!of.reduces() && (!is_inline<T>(of.op) || of.op == Op::copysign))
        of.op = of.count == 1 ? Op::tanh : Op::subtract;
    return made;
  }
}

TYPED_TEST(LoopBits, AreThoseOfSingleCalls) {
  constexpr std::pair<Index, Index> kShapes[] = {{1, 9000}, {9000, 1}, {3, 3001}, {20, 500},
                                                 {300, 40}, {513, 33}, {2, 2000}, {2500, 4}};
  Maker<TypeParam> maker(11);
  std::vector<Case<TypeParam>> cases;
  for (const auto& [rows, cols] : kShapes)
    for (int direction = 0; direction < 4; ++direction)
      cases.push_back(random_case(maker, rows, cols, direction));
  check_together(cases);
}

TYPED_TEST(LoopBits, AreThoseOfSingleCallsBeyondTheCaches) {
  Maker<TypeParam> maker(12);
  const Index cols = Index(9 << 20) / Index(sizeof(TypeParam)) / 1000;
  std::vector<Case<TypeParam>> cases;
  for (const int direction : {0, 3}) cases.push_back(random_case(maker, 1000, cols, direction));
  check_together(cases);
}

// Vectors that end a few elements after a cache line, with less than a line in their last tile.
TYPED_TEST(LoopBits, AreThoseOfSingleCallsOfVectorsThatEndWithinALine) {
  using T = TypeParam;
  std::vector<Case<T>> cases;
  for (Index past = 1; past < 4; ++past) {
    Case<T> made;
    made.rows = Index(9 << 20) / Index(sizeof(T)) + past;
    made.cols = 1;
    made.body.inputs = {Spread::Whole};
    made.body.steps = {{Op::mult, 2, {input(0), input(0)}},
                       {Op::add, 2, {step(0), input(0)}},
                       {Op::sqrt, 1, {step(1)}}};
    made.body.targets = {{step(2)}};
    made.inputs = {{made.make(made.rows, T(1.5)), made.rows}};
    made.targets = {{made.make(made.rows, 0), made.rows}};
    cases.push_back(std::move(made));
  }
  check_together(cases);
}

// Views that begin and end within cache lines: a stencil into two matrices, and over one of its
// inputs, by columns tall and short; and steps that take longer than memory.
TYPED_TEST(LoopBits, AreThoseOfSingleCallsOfViewsBeyondTheCaches) {
  using T = TypeParam;
  std::vector<Case<T>> cases;
  for (const auto& [rows, much] : {std::pair(Index(1001), false), {1001, true}, {100, false}}) {
    const Index cols = Index(9 << 20) / Index(sizeof(T)) / rows, ld = rows + 5;
    Case<T> made;
    made.rows = rows;
    made.cols = cols;
    made.body.inputs.assign(6, Spread::Whole);
    made.body.steps = {{Op::add, 2, {input(0), input(1)}}, {Op::add, 2, {step(0), input(2)}},
                       {Op::add, 2, {step(1), input(3)}},  {Op::add, 2, {step(2), input(4)}},
                       {Op::mult, 2, {step(3), input(5)}}, {Op::subtract, 2, {step(4), input(5)}}};
    while (much && made.body.steps.size() < 40)
      made.body.steps.push_back({Op::tanh, 1, {step(int(made.body.steps.size()) - 1)}});
    const int last = int(made.body.steps.size()) - 1;
    made.body.targets = {{step(4)}, {step(last)}, {step(3)}};
    const std::size_t from = made.make(ld * (cols + 3), 0), over = made.make(ld * (cols + 1), 0);
    for (const Index at : {ld + 1, Index(1), 2 * ld + 1, ld, ld + 2})
      made.inputs.push_back({from, ld, at});
    made.inputs.push_back({over, ld, 3});
    made.targets = {{made.make(ld * (cols + 1), 7), ld, 1},
                    {over, ld, 3},
                    {made.make(ld * (cols + 1), 8), ld, 2}};
    std::mt19937 random(15);
    for (const std::size_t array : {from, over})
      for (T& x : made.arrays[array]) x = T(int(random() % 8001) - 4000) / 1000;
    cases.push_back(std::move(made));
  }
  check_together(cases);
}

/// Softmax and layer norm of columns, over their input or beside it; `gap`: between columns.
template <class T>
Case<T> normalised_case(Index rows, Index cols, Index gap, bool in_place) {
  Case<T> made;
  made.rows = rows;
  made.cols = cols;
  made.numbers = {T(1e-5), T(-1)};
  made.body.numbers = 2;
  made.body.inputs = {Spread::Whole, Spread::Column};
  const auto over = [](Op op, cudamat::FusedValue value) {
    FusedStep of{op, 1, {value}};
    of.axis = 0;
    return of;
  };
  made.body.steps = {over(Op::max, input(0)),
                     {Op::mult, 2, {step(0), number(1)}},
                     {Op::add, 2, {input(0), step(1)}},
                     {Op::exp, 1, {step(2)}},
                     over(Op::sum, step(3)),
                     {Op::divide, 2, {step(3), step(4)}},
                     over(Op::mean, step(5)),
                     {Op::subtract, 2, {step(5), step(6)}},
                     {Op::mult, 2, {step(7), step(7)}},
                     over(Op::mean, step(8)),
                     {Op::add, 2, {step(9), number(0)}},
                     {Op::sqrt, 1, {step(10)}},
                     {Op::divide, 2, {step(7), step(11)}},
                     {Op::mult, 2, {step(12), input(1)}}};
  made.body.targets = {{step(13)}, {step(11)}};
  made.body.targets[1].lies = Spread::Row;
  const Index ld = rows + gap;
  made.inputs = {{made.make(ld * cols, 0), ld}, {made.make(rows, 0), rows}};
  made.targets = {in_place ? made.inputs[0] : typename Case<T>::Where{made.make(ld * cols, 0), ld},
                  {made.make(cols, 0), 1}};
  std::mt19937 random(14);
  for (auto& array : made.arrays)
    for (T& x : array) x = T(int(random() % 8001) - 4000) / 1000;
  made.arrays[0][std::size_t(rows)] = std::numeric_limits<T>::quiet_NaN();
  made.arrays[0][0] = T(-1000);
  return made;
}

/// By one thread and by two. runs: how many compiled ones a call has.
template <class T>
void check_by_threads(const std::vector<Case<T>>& cases,
                      const testing::Matcher<std::int64_t>& runs) {
  set_compile_mode(Compile::Together);
  for (Case<T> met : cases) met.run([](const auto& call) { npmat::Engine<T>::fused(call); });
  ASSERT_GE(npmat::fused::compile_together(), 1);
  for (const int threads : thread_counts({1, 2})) {
    omp_set_num_threads(threads);
    for (const auto& each : cases) {
      const std::int64_t before = compiled_runs();
      check(each);
      if (testing::Test::HasFatalFailure()) return;
      EXPECT_THAT(compiled_runs() - before, runs) << each.text();
    }
  }
  omp_set_num_threads(omp_get_num_procs());
}

// Some columns at a time, of which the next ones are read ahead: several strips, of several parts.
TYPED_TEST(LoopBits, AreThoseOfSingleCallsInStrips) {
  const Index beyond = Index(9 << 20) / Index(sizeof(TypeParam)) / 8300;
  const std::pair<Index, Index> shapes[] = {{9001, 31}, {20, 9001}, {70, 9001}, {8300, beyond}};
  std::vector<Case<TypeParam>> cases;
  for (const auto& [rows, cols] : shapes) {
    cases.push_back(normalised_case<TypeParam>(rows, cols, 0, false));
    cases.push_back(normalised_case<TypeParam>(rows, cols, 0, true));
  }
  cases.push_back(normalised_case<TypeParam>(8501, 40, 7, false));
  check_by_threads<TypeParam>(cases, Ge(4));
}

// A column at a time, by one function.
TYPED_TEST(LoopBits, AreThoseOfSingleCallsInColumns) {
  const Index beyond = Index(9 << 20) / Index(sizeof(TypeParam)) / 1000;
  const std::pair<Index, Index> shapes[] = {{128, 400}, {133, 333}, {200, 3001},   {511, 40},
                                            {512, 40},  {513, 900}, {767, 31},     {4096, 61},
                                            {8191, 19}, {8192, 19}, {1000, beyond}};
  std::vector<Case<TypeParam>> cases;
  for (const auto& [rows, cols] : shapes) {
    cases.push_back(normalised_case<TypeParam>(rows, cols, 0, false));
    cases.push_back(normalised_case<TypeParam>(rows, cols, 0, true));
  }
  for (const Index cols : {Index(300), beyond})
    cases.push_back(normalised_case<TypeParam>(1001, cols, 7, false));
  check_by_threads<TypeParam>(cases, 1);
}

TYPED_TEST(LoopBits, AreThoseOfSingleCallsInColumnsOfRandomBodies) {
  using T = TypeParam;
  constexpr Index kRows[] = {128, 301, 511, 512, 1000, 2049};
  Maker<T> maker(16);
  std::vector<Case<T>> cases;
  while (cases.size() < 12) {
    const Index rows = kRows[cases.size() % std::size(kRows)];
    Case<T> made = random_case(maker, rows, 9000 / rows + 3, 0, true);
    const std::vector<bool> late(made.targets.size());
    const auto parts = cudamat::detail::FusedCutter(made.body, late, true).cut();
    if (npmat::fused::has_column_code(made.body, parts)) cases.push_back(std::move(made));
  }
  check_by_threads<TypeParam>(cases, 1);
}

// All steps, of matrices, vectors and numbers on either side: zeros of both signs, infinities, NaN
// and the smallest numbers among them.
TYPED_TEST(LoopBits, AreThoseOfSingleCallsForEveryStep) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const std::vector<T> special = {0,
                                  T(-0.0),
                                  1,
                                  -1,
                                  T(0.75),
                                  -30,
                                  T(1000),
                                  Limits::infinity(),
                                  -Limits::infinity(),
                                  Limits::quiet_NaN(),
                                  Limits::denorm_min(),
                                  Limits::min() / 3,
                                  Limits::max(),
                                  T(-1.5),
                                  T(88.5)};
  std::vector<Case<T>> cases;
  for (const auto& row : cudamat::kOpTable) {
    const int count = cudamat::fused_operands(row.op);
    if (count <= 0 || !is_inline<T>(row.op)) continue;
    Case<T> made;
    made.rows = 300;
    made.cols = 31;
    made.numbers = {T(0.75)};
    made.body.numbers = 1;
    for (const Spread how : {Spread::Whole, Spread::Row, Spread::Column, Spread::One}) {
      made.body.inputs.push_back(how);
      made.inputs.push_back({made.arrays.size(), how == Spread::Whole ? made.rows : 1});
      made.make(made.rows * made.cols, 0);
      const std::size_t stride = how == Spread::Row ? 3 : how == Spread::Column ? 7 : 1;
      for (std::size_t i = 0; i < made.arrays.back().size(); ++i)
        made.arrays.back()[i] = special[(i * stride + i / 13) % special.size()];
    }
    const auto value = [](int which) { return which < 4 ? input(which) : number(0); };
    for (int left = 0; left < 5; ++left)
      for (int right = 0; right < (count == 1 ? 1 : 5); ++right) {
        const bool takes_number = row.family == Family::UnaryScalar;
        if (left + right == 8 || (takes_number && right < 4)) continue;
        made.body.steps.push_back({row.op, count, {value(left), value(right), value(left)}});
        made.body.targets.push_back({step(int(made.body.steps.size()) - 1)});
        made.targets.push_back({made.make(made.rows * made.cols, 0), made.rows});
      }
    cases.push_back(std::move(made));
  }
  EXPECT_GT(cases.size(), 30U);
  check_together(cases);
}

TYPED_TEST(LoopBits, StayWithTheTilesWhereTheCLibraryComputes) {
  using T = TypeParam;
  Maker<T> maker(13);
  set_compile_mode(Compile::Now);
  for (const Op op : {Op::sin, Op::pow, Op::gamma, Op::mod}) {
    Case<T> made = random_case(maker, 300, 40, 3);
    FusedStep& last = made.body.steps.back();
    last = {op, cudamat::fused_operands(op), {input(0), input(0), {}}};
    const std::int64_t before = compiled_runs();
    check(made);
    EXPECT_EQ(compiled_runs(), before);
  }
}

// ---- taking over ----

/// tanh(a b) + a: its memory, and what it should be.
struct Statement {
  Case<float> made;
  std::vector<float> expected;

  explicit Statement(Index rows = 20000, Index cols = 3) {
    made.rows = rows;
    made.cols = cols;
    made.body.inputs = {Spread::Whole, Spread::Whole};
    for (const float factor : {1e-4F, 3e-5F}) {
      made.inputs.push_back({made.make(rows * cols, 0), rows});
      for (std::size_t i = 0; i < made.arrays.back().size(); ++i)
        made.arrays.back()[i] = factor * float(i);
    }
    made.body.steps = {{Op::mult, 2, {input(0), input(1)}},
                       {Op::tanh, 1, {step(0)}},
                       {Op::add, 2, {step(1), input(0)}}};
    made.body.targets = {{step(2)}};
    made.targets = {{made.make(rows * cols, 0), rows}};
    Case<float> calls = made;
    calls.run([](const auto& call) { cudamat::detail::unfused<npmat::Engine<float>>(call); });
    expected = calls.arrays[2];
  }

  /// Whether it is computed right.
  bool run() {
    std::ranges::fill(made.arrays[2], -7.0F);
    std::vector<cudamat::FusedCall<float>::Input> in;
    for (std::size_t i = 0; i < 2; ++i) in.push_back({made.arrays[i].data(), made.rows});
    const cudamat::FusedCall<float>::Target out{made.arrays[2].data(), made.rows};
    npmat::Engine<float>::fused({made.body, made.rows, made.cols, in, {}, {&out, 1}});
    return made.arrays[2] == expected;
  }
};

TEST_F(Loops, TakeOverFromTheTilesOfBusyThreads) {
  set_compile_mode(Compile::Auto);
  const std::int64_t before = compiled_runs();
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([before] {
      Statement statement;
      do {
        if (!statement.run()) ADD_FAILURE() << "wrong";
      } while (!testing::Test::HasFailure() && compiled_runs() < before + 4);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Loops, OfFewElementsAreNotLookedFor) {
  set_compile_mode(Compile::Auto);
  Statement statement(2000, 1);
  const std::int64_t before = compiled_runs();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(statement.run());
  EXPECT_EQ(compiled_runs(), before);
}

// ---- processes ----

/// Neither sanitizer knows of threads after a fork: ThreadSanitizer allows none, and the search for
/// leaks waits for the parent's and ends a process before what it would do at its end.
class LoopsOfProcesses : public Loops {
 protected:
  void SetUp() override {
    if (tests::under_sanitizers()) GTEST_SKIP() << "sanitizers know of no threads after a fork";
    Loops::SetUp();
  }
};

/// How a process ends that runs `body`, which says whether all was right; it sees nothing of what
/// was compiled in this one.
int status_of(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    bool right = false;
    try {
      right = body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    std::exit(right ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

/// Whether the statement is computed right, and by its loop or not.
bool runs_now(Statement& statement, bool compiled = true) {
  set_compile_mode(Compile::Now);
  const std::int64_t before = compiled_runs();
  return statement.run() && compiled_runs() == before + int(compiled);
}

/// Runs the statement until a compiler works for it in the folder. Whether all was right.
bool run_until_it_is_compiled(Statement& statement, const fs::path& folder) {
  set_compile_mode(Compile::Auto);
  while (files_of(folder).empty())
    if (!statement.run()) return false;
  return true;
}

TEST_F(LoopsOfProcesses, AreFoundOnTheDiskByTheNextProcess) {
  Statement statement;
  const auto run = [&] { return runs_now(statement); };
  EXPECT_EQ(status_of(run), 0);
  const std::vector<std::string> files = files_of(cache());
  EXPECT_EQ(files.size(), 1U);
  EXPECT_THAT(files_of(temporary()), IsEmpty());
  // Now without room for a compilation.
  setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_EQ(status_of(run), 0);
  EXPECT_EQ(files_of(cache()), files);
}

TEST_F(LoopsOfProcesses, AreMadeAnewWhereTheDiskHasDamagedOnes) {
  Statement statement;
  const auto run = [&] { return runs_now(statement); };
  EXPECT_EQ(status_of(run), 0);
  ASSERT_EQ(files_of(cache()).size(), 1U);
  const fs::path file = cache() / files_of(cache()).front();
  for (const char* const content : {"", "nonsense"}) {
    if (*content == '\0')
      fs::resize_file(file, fs::file_size(file) / 2);
    else
      std::fstream(file).seekp(2000) << content;
    EXPECT_EQ(status_of(run), 0);
  }
}

TEST_F(LoopsOfProcesses, NeedNoCache) {
  Statement statement;
  std::ofstream(cache()) << "a file, and no folder";
  EXPECT_EQ(status_of([&] { return runs_now(statement); }), 0);
}

TEST_F(LoopsOfProcesses, AreMadeByProcessesAtTheSameTime) {
  Statement statement;
  std::vector<std::thread> waiting;
  std::atomic<int> right = 0;
  for (int i = 0; i < 3; ++i)
    waiting.emplace_back([&] { right += status_of([&] { return runs_now(statement); }) == 0; });
  for (std::thread& thread : waiting) thread.join();
  EXPECT_EQ(right, 3);
  EXPECT_EQ(files_of(cache()).size(), 1U);
  EXPECT_THAT(files_of(temporary()), IsEmpty());
}

/// What a process of this body says on stderr; it must end well.
std::string said_by(const fs::path& file, const std::function<bool()>& body) {
  EXPECT_EQ(status_of([&] {
              const int to = open(file.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
              return dup2(to, 2) == 2 && body();
            }),
            0);
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(LoopsOfProcesses, WithoutACompilerAreTilesAndThatIsSaidOnce) {
  const fs::path said = temporary() / "said";
  for (const std::string& broken :
       {std::string("no-such-compiler"), compiler("echo 'it is broken' >&2; exit 1")}) {
    setenv("CXX", broken.c_str(), 1);
    Statement tall, wide(3, 20000), other(30000, 2);
    other.made.body.steps[1].op = Op::exp;
    const std::string text = said_by(said, [&] {
      const bool right = runs_now(tall, false) && runs_now(wide, false);
      (void)runs_now(other, false);
      return right;
    });
    EXPECT_THAT(text, HasSubstr("cudamat: fused statements are not compiled: "));
    EXPECT_EQ(text.find("are not compiled"), text.rfind("are not compiled")) << text;
    EXPECT_THAT(text, HasSubstr(broken.front() == '/' ? "it is broken" : "no C++ compiler"));
  }
}

TEST_F(LoopsOfProcesses, NeedRoomForTheirCompilation) {
  Statement statement;
  setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_EQ(status_of([&] { return runs_now(statement, false); }), 0);
}

TEST_F(LoopsOfProcesses, OfACompilerInTheBackgroundEndWithTheProcess) {
  setenv("CXX", compiler("sleep 30").c_str(), 1);
  Statement statement;
  EXPECT_EQ(status_of([&] { return run_until_it_is_compiled(statement, temporary()); }), 0);
  wait_for_temporary_files_to_go();
}

TEST_F(LoopsOfProcesses, AreNoObstacleToAnInterrupt) {
  setenv("CXX", compiler("sleep 1; exec c++ \"$@\"").c_str(), 1);
  Statement statement;
  const int status = status_of([&] {
    const bool right = run_until_it_is_compiled(statement, temporary());
    (void)std::signal(SIGINT, SIG_DFL);  // in the background of a shell it is ignored
    raise(SIGINT);
    return right;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  wait_for_temporary_files_to_go();
}

TEST_F(LoopsOfProcesses, AreTheChildsOwnAfterAFork) {
  setenv("CXX", compiler("sleep 1; exec c++ \"$@\"").c_str(), 1);
  Statement statement;
  EXPECT_EQ(status_of([&] {
              const std::int64_t before = compiled_runs();
              bool right = run_until_it_is_compiled(statement, temporary());
              right &= status_of([&] { return runs_now(statement); }) == 0;
              while (right && compiled_runs() == before) right = statement.run();
              return right;
            }),
            0);
  wait_for_temporary_files_to_go();
}

TEST_F(LoopsOfProcesses, AreThoseOfTheModeThatTheEnvironmentNames) {
  Statement statement;
  const auto runs_with = [&](const char* mode) {
    setenv("CUDAMAT_COMPILE", mode, 1);
    const fs::path program = fs::read_symlink("/proc/self/exe");
    const pid_t child = fork();
    if (child == 0) {
      const int nowhere = open("/dev/null", O_WRONLY);
      (void)dup2(nowhere, 1);
      (void)dup2(nowhere, 2);
      execl(program.c_str(), program.c_str(), "--gtest_brief=1",
            "--gtest_filter=LoopsOfTheEnvironment.*", "--gtest_also_run_disabled_tests", nullptr);
      _exit(9);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    unsetenv("CUDAMAT_COMPILE");
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(runs_with("now"), 0);
  EXPECT_EQ(runs_with("off"), 1);
  EXPECT_EQ(runs_with("never"), 1);
}

/// Run by the test above.
TEST(LoopsOfTheEnvironment, DISABLED_AreCompiledNow) {
  Statement statement;
  ASSERT_TRUE(statement.run());
  EXPECT_EQ(compiled_runs(), 1);
}

// ---- the compiler ----

TEST_F(Loops, AreOfACompilerThatSaysWhatIsWrong) {
  const SystemCompiler by("");
  ASSERT_TRUE(by.is_there());
  const npmat::CompiledObject made = by.compile("int f() { return nonsense; }\n", false);
  EXPECT_THAT(made.object, IsEmpty());
  EXPECT_THAT(made.failure, HasSubstr("nonsense"));
  EXPECT_THAT(by.find("int f() { return nonsense; }\n"), IsEmpty());
}

TEST_F(Loops, SayWhichCompilerDoesNotRun) {
  EXPECT_THAT(SystemCompiler("no-such-compiler").compile("", false).failure,
              HasSubstr("'no-such-compiler', which CXX names, does not run"));
  EXPECT_THAT(SystemCompiler("/bin/false").compile("", false).failure, HasSubstr("'/bin/false'"));
}

TEST_F(Loops, AreNotWaitedForAtLength) {
  const SystemCompiler by(compiler("sleep 30"), {}, std::chrono::milliseconds(300));
  ASSERT_TRUE(by.is_there());
  EXPECT_THAT(by.compile("int f();\n", false).failure, HasSubstr("longer than"));
  wait_for_temporary_files_to_go();
}

TEST_F(Loops, AreNotHeldByWhatTheCompilerLeavesRunning) {
  const fs::path script = temporary().parent_path() / "leaves";
  std::ofstream(script) << "#!/bin/sh\nsleep 20 &\nexec c++ \"$@\"\n";
  fs::permissions(script, fs::perms::owner_all);
  const SystemCompiler by(script.string(), {}, std::chrono::seconds(10));
  ASSERT_TRUE(by.is_there());
  EXPECT_THAT(by.compile("int f() { return 1; }\n", false).failure, IsEmpty());
}

TEST_F(Loops, AreNotOfACompilerThatPrintsWithoutEnd) {
  const SystemCompiler by(compiler("while :; do echo a line of a flood; done >&2"));
  ASSERT_TRUE(by.is_there());
  const npmat::CompiledObject made = by.compile("int f();\n", false);
  EXPECT_THAT(made.failure, HasSubstr("it printed more than 65536 bytes"));
  EXPECT_LT(made.failure.size(), 1000);
  wait_for_temporary_files_to_go();
}

TEST_F(Loops, OfAnotherCompilerAreOthers) {
  const std::string source =
      "extern \"C\" __attribute__((visibility(\"default\"))) int seven() "
      "{ return 7; }\n";
  const SystemCompiler by(""), other(compiler("exec c++ \"$@\""));
  EXPECT_THAT(by.find(source), IsEmpty());
  const std::string object = by.compile(source, true).object;
  EXPECT_THAT(object, Not(IsEmpty()));
  EXPECT_EQ(by.find(source), object);
  EXPECT_THAT(by.find(source + " "), IsEmpty());
  EXPECT_THAT(other.find(source), IsEmpty());
  const cudamat::code::LoadedObject loaded(object);
  void* const found = loaded.find("seven");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(reinterpret_cast<int (*)()>(found)(), 7);
  EXPECT_EQ(loaded.find("eight"), nullptr);
  EXPECT_EQ(cudamat::code::LoadedObject("nonsense").find("seven"), nullptr);
}

}  // namespace
