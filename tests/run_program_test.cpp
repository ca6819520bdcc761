// Programs that work for this one: what they say, and when they are ended.
#include "cudamat/code/run_program.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/python.hpp"

namespace {

using cudamat::code::Program;
using cudamat::code::Ran;
using cudamat::code::run_program;
using testing::SizeIs;

Program shell(const std::string& script) {
  Program program;
  program.arguments = {"sh", "-c", script};
  return program;
}

/// Waits until the process, whose number the file has, is there no more; its parent is not this
/// one.
void expect_to_go(const std::filesystem::path& file) {
  const pid_t process = std::stoi(tests::read_file(file));
  const auto too_long = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  const std::string state = "/proc/" + std::to_string(process) + "/stat";
  for (;;) {
    std::ifstream stat(state);
    std::string number, name, letter;
    if (!(stat >> number >> name >> letter) || letter == "Z") return;
    ASSERT_LT(std::chrono::steady_clock::now(), too_long);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

class RunProgram : public testing::Test {
 protected:
  const tests::TemporaryFolder folder_;
};

TEST_F(RunProgram, HearsWhatItSays) {
  Program program = shell("cat; echo wrong >&2; pwd; exit 7");
  program.input = "input\n";
  program.folder = folder_.path();
  const Ran ran = run_program(program);
  EXPECT_EQ(ran.output, "input\n" + std::filesystem::canonical(folder_.path()).string() + "\n");
  EXPECT_EQ(ran.log, "wrong\n");
  EXPECT_EQ(ran.failure, "");
  EXPECT_EQ(ran.status, 7);
  EXPECT_FALSE(ran.is_well());
  EXPECT_TRUE(run_program(shell("exit 0")).is_well());
}

TEST_F(RunProgram, SaysThatThereIsNone) {
  Program program;
  program.arguments = {"no-such-program"};
  EXPECT_EQ(run_program(program).failure, "it cannot be run");
}

TEST_F(RunProgram, HearsLongOutput) {
  Program program = shell("head -c 5000000 /dev/zero | tr '\\0' x");
  program.most_output = 5'000'000;
  const Ran ran = run_program(program);
  EXPECT_EQ(ran.failure, "");
  EXPECT_TRUE(ran.output == std::string(5'000'000, 'x')) << ran.output.size();
  program.most_output = 4'999'999;
  EXPECT_EQ(run_program(program).failure, "it printed more than 4999999 bytes");
}

TEST_F(RunProgram, EndsAFlood) {
  for (const char* const where : {">&2", ""}) {
    const Ran ran = run_program(shell(std::string("while :; do echo flood ") + where + "; done"));
    EXPECT_EQ(ran.failure, "it printed more than 65536 bytes");
    EXPECT_THAT(ran.output + ran.log, SizeIs(65536));
  }
}

TEST_F(RunProgram, EndsWhatTakesTooLongWithAllItHasStarted) {
  Program program = shell("sleep 1000 & echo $! > child; wait");
  program.folder = folder_.path();
  program.patience = std::chrono::milliseconds(300);
  EXPECT_EQ(run_program(program).failure, "it took longer than 300 ms");
  expect_to_go(folder_ / "child");
}

TEST_F(RunProgram, EndsWhatDoesNotWantTo) {
  Program program = shell("trap '' TERM; while :; do sleep 0.01; done");
  program.patience = std::chrono::milliseconds(100);
  EXPECT_EQ(run_program(program).failure, "it took longer than 100 ms");
}

TEST_F(RunProgram, DoesNotWaitForWhatIsLeftRunning) {
  Program program = shell("sleep 1000 & echo $! > child; echo done");  // has both ends of the pipes
  program.folder = folder_.path();
  program.patience = std::chrono::minutes(10);
  EXPECT_EQ(run_program(program).output, "done\n");
  (void)kill(std::stoi(tests::read_file(folder_ / "child")), SIGKILL);
}

TEST_F(RunProgram, EndsWhereItIsInterrupted) {
  static int asked;
  asked = 0;
  Program program = shell("sleep 1000");
  program.is_interrupted = [] { return ++asked == 3; };
  EXPECT_EQ(run_program(program).failure, "it was interrupted");
  EXPECT_EQ(asked, 3);
}

TEST_F(RunProgram, EndsWhereTheProcessExits) {
  // As the compiler's shell does, it tidies up once the program that it runs has ended.
  Program program = shell(R"(
    trap 'exit 1' TERM
    trap 'echo > tidied' EXIT
    (trap 'sleep 0.2; exit' TERM; echo $$ > child; while :; do sleep 0.01; done))");
  program.folder = folder_.path();
  const pid_t process = fork();
  if (process == 0) {
    std::thread([&] { (void)run_program(program); }).detach();
    while (!std::filesystem::exists(folder_ / "child") ||
           tests::read_file(folder_ / "child").empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "tidied"));
  expect_to_go(folder_ / "child");
}

TEST_F(RunProgram, HearsWhereNobodyWaitsForChildren) {
  void (*const before)(int) = std::signal(SIGCHLD, SIG_IGN);
  const Ran ran = run_program(shell("echo said; exit 3"));
  (void)std::signal(SIGCHLD, before);
  EXPECT_EQ(ran.output, "said\n");
  EXPECT_TRUE(ran.is_well());  // its status is lost
}

}  // namespace
