// Python as the tests' independent judge: runs scripts in an interpreter that has NumPy.
//
// The interpreter is the environment variable CUDAMAT_PYTHON if set, else the one that CMake found
// (CUDAMAT_TEST_PYTHON; empty if none has NumPy). A test that needs it starts with
// CUDAMAT_NEEDS_NUMPY(), which skips with the reason where there is none.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <initializer_list>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#ifndef CUDAMAT_TEST_PYTHON
#define CUDAMAT_TEST_PYTHON ""
#endif

namespace tests {

/// A fresh folder, removed with all it holds at the end of its life.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cudamat-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), "mkdtemp " + name);
    }
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// While it lives, a test that runs as root has no more rights than any user, and `folder` is that
/// user's.
class OrdinaryUser {
 public:
  explicit OrdinaryUser(const TemporaryFolder& folder) : was_root_(::geteuid() == 0) {
    constexpr uid_t kNobody = 65534;
    if (!was_root_) return;
    if (::chown(folder.path().c_str(), kNobody, kNobody) != 0 || ::seteuid(kNobody) != 0) {
      throw std::system_error(errno, std::generic_category(), "becoming an ordinary user");
    }
    ::prctl(PR_SET_DUMPABLE, 1);  // else /proc/self stays root's
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;
  ~OrdinaryUser() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool was_root_;
};

/// All bytes of a file; throws if it cannot be read.
inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return bytes.str();
}

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

/// The interpreter; empty if there is none with NumPy.
inline std::string python_executable() {
  const char* chosen = std::getenv("CUDAMAT_PYTHON");
  return chosen != nullptr ? chosen : CUDAMAT_TEST_PYTHON;
}

/// Runs `script` with `arguments` as sys.argv[1:]; returns what it printed to stdout. Throws
/// std::runtime_error with its stderr if it does not exit with 0.
inline std::string run_python(std::string_view script,
                              const std::vector<std::string>& arguments = {}) {
  const TemporaryFolder folder;
  const std::string script_path = (folder / "script.py").string();
  const std::string stdout_path = (folder / "stdout").string();
  const std::string stderr_path = (folder / "stderr").string();
  write_file(script_path, script);

  std::vector<std::string> command{python_executable(), script_path};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int kCreate = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, stdout_path.c_str(), kCreate, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, stderr_path.c_str(), kCreate, 0600);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::system_error(error, std::generic_category(), "starting " + command[0]);

  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("Python failed:\n" + read_file(stderr_path));
  }
  return read_file(stdout_path);
}

}  // namespace tests

#define CUDAMAT_NEEDS_NUMPY()                                                              \
  if (tests::python_executable().empty())                                                  \
  GTEST_SKIP() << "no Python with NumPy was found; install python3-numpy, or name one in " \
                  "the environment variable CUDAMAT_PYTHON"
