// What save_npy leaves on the disk when all goes well and when it does not.
#include <csignal>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "npmat/file_io.hpp"
#include "npmat/npy.hpp"
#include "tests/python.hpp"

namespace {

std::function<void(int fd)> on_fsync;  // called before the system keeps a file on its disk

}  // namespace

extern "C" int fsync(int fd) {
  if (on_fsync) on_fsync(fd);
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace {

namespace fs = std::filesystem;
using cudamat::CUDAMatException;
using npmat::Array;
using npmat::load_npy;
using npmat::save_npy;
using npmat::detail::FileSink;
using npmat::detail::Temporary;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using tests::read_file;
using tests::TemporaryFolder;

const Array<double> kArray{{2}, {1, 2}};

template <class Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const CUDAMatException& e) {
    return e.what();
  }
  return "no error";
}

std::string save_error(const fs::path& path) {
  return error_of([&] { save_npy(path, kArray); });
}

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

mode_t mode_of(const fs::path& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

// Files of this process may have no more than `bytes` bytes while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

class FileWrite : public testing::TestWithParam<Temporary> {
 protected:
  void write(const fs::path& path, const std::string& text) {
    npmat::detail::write_file(
        {"test", path.string()}, path,
        [&](FileSink& sink) { sink.write(text.data(), text.size()); }, GetParam());
  }
  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Temporaries, FileWrite,
                         testing::Values(Temporary::kUnnamed, Temporary::kNamed),
                         [](const auto& kind) {
                           return kind.param == Temporary::kNamed ? "Named" : "Unnamed";
                         });

TEST_P(FileWrite, CreatesAndReplacesAndLeavesNothingElse) {
  write(folder_ / "x", "first");
  EXPECT_EQ(read_file(folder_ / "x"), "first");
  write(folder_ / "x", "2nd");
  EXPECT_EQ(read_file(folder_ / "x"), "2nd");
  write(folder_ / "empty", "");
  EXPECT_EQ(read_file(folder_ / "empty"), "");
  EXPECT_THAT(names_in(folder_), testing::UnorderedElementsAre("x", "empty"));
}

TEST_P(FileWrite, IsOnTheDiskBeforeItReplacesAFile) {
  write(folder_ / "x", "old");
  std::vector<off_t> sizes;
  on_fsync = [&](int fd) {
    struct stat info {};
    EXPECT_EQ(::fstat(fd, &info), 0);
    sizes.push_back(info.st_size);
    EXPECT_EQ(read_file(folder_ / "x"), "old");
  };
  write(folder_ / "x", "newer");
  on_fsync = nullptr;
  EXPECT_THAT(sizes, ElementsAre(5));
  EXPECT_EQ(read_file(folder_ / "x"), "newer");
}

TEST_P(FileWrite, AFullDiskKeepsTheOldFile) {
  write(folder_ / "x", "old");
  std::string error;
  {
    const FileSizeLimit limit(1000);
    error = error_of([&] { write(folder_ / "x", std::string(5000, 'n')); });
    EXPECT_THAT(error_of([&] { write(folder_ / "y", std::string(5000, 'n')); }),
                HasSubstr("File too large"));
  }
  EXPECT_EQ(error, "[test] " + (folder_ / "x").string() +
                       ": writing failed after 1000 bytes: File too large");
  EXPECT_EQ(read_file(folder_ / "x"), "old");
  EXPECT_THAT(names_in(folder_), ElementsAre("x"));
}

TEST_P(FileWrite, AnExceptionOfTheProducerKeepsTheOldFile) {
  write(folder_ / "x", "old");
  const auto produce = [](FileSink& sink) {
    sink.write("new", 3);
    throw std::runtime_error("stop");
  };
  EXPECT_THROW(npmat::detail::write_file({"test", "x"}, folder_ / "x", produce, GetParam()),
               std::runtime_error);
  EXPECT_EQ(read_file(folder_ / "x"), "old");
  EXPECT_THAT(names_in(folder_), ElementsAre("x"));
}

TEST_P(FileWrite, KeepsPermissionsAndObeysTheUmask) {
  const mode_t before = ::umask(027);
  write(folder_ / "new", "1");
  ::umask(before);
  EXPECT_EQ(mode_of(folder_ / "new"), mode_t{0640});
  ::chmod((folder_ / "new").c_str(), 0606);
  write(folder_ / "new", "2");
  EXPECT_EQ(mode_of(folder_ / "new"), mode_t{0606});
}

TEST_P(FileWrite, FollowsLinks) {
  write(folder_ / "real", "old");
  fs::create_symlink("real", folder_ / "link");
  write(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "real"), "new");
  fs::create_symlink("later", folder_ / "dangling");
  write(folder_ / "dangling", "made");
  EXPECT_TRUE(fs::is_symlink(folder_ / "dangling"));
  EXPECT_EQ(read_file(folder_ / "later"), "made");
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_THAT(error_of([&] { write(folder_ / "loop", "x"); }), HasSubstr("symbolic links"));
}

TEST_P(FileWrite, LeavesAFileAloneWhereNothingCanBeCreated) {
  const tests::OrdinaryUser user(folder_);
  write(folder_ / "x", "old and long");
  ::chmod(folder_.path().c_str(), 0555);
  const std::string of_old = error_of([&] { write(folder_ / "x", "new"); });
  const std::string of_new = error_of([&] { write(folder_ / "y", "new"); });
  ::chmod(folder_.path().c_str(), 0755);
  EXPECT_EQ(read_file(folder_ / "x"), "old and long");
  EXPECT_THAT(of_old, HasSubstr("cannot be replaced, as its folder takes no new file: Permission"));
  EXPECT_THAT(of_new, HasSubstr("cannot be created: Permission denied"));
}

TEST_P(FileWrite, RefusesAReadOnlyFile) {
  const tests::OrdinaryUser user(folder_);
  write(folder_ / "x", "old");
  ::chmod((folder_ / "x").c_str(), 0444);
  EXPECT_THAT(error_of([&] { write(folder_ / "x", "new"); }), HasSubstr("Permission denied"));
  EXPECT_EQ(read_file(folder_ / "x"), "old");
}

TEST(FilesWrite, AllAreWhatTheyWereIfOneCannotBeReplaced) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a") << "old a";
  std::ofstream(folder / "c") << "old c";
  const auto file = [&](const std::string& name, const std::function<void()>& before) {
    return npmat::detail::FileToWrite{{"test", name}, folder / name, [=](FileSink& sink) {
                                        sink.write("new", 3);
                                        before();
                                      }};
  };
  const auto nothing = [] {};
  const auto occupy = [&] { fs::create_directory(folder / "d"); };  // when d is prepared already
  EXPECT_THAT(error_of([&] {
                npmat::detail::write_files({file("a", nothing), file("b", nothing),
                                            file("d", nothing), file("c", occupy)});
              }),
              HasSubstr("[test] d: cannot be replaced: Is a directory"));
  EXPECT_EQ(read_file(folder / "a"), "old a");
  EXPECT_EQ(read_file(folder / "c"), "old c");
  EXPECT_THAT(names_in(folder), testing::UnorderedElementsAre("a", "c", "d"));
  npmat::detail::write_files({file("a", nothing), file("b", nothing), file("c", nothing)});
  EXPECT_EQ(read_file(folder / "a") + read_file(folder / "b") + read_file(folder / "c"),
            "newnewnew");
  EXPECT_THAT(names_in(folder), testing::UnorderedElementsAre("a", "b", "c", "d"));
}

TEST(SaveNpy, NamesAFullDevice) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this machine has no /dev/full";
  EXPECT_EQ(save_error("/dev/full"),
            "[save_npy] /dev/full: writing failed after 0 bytes: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  save_npy("/dev/null", kArray);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(SaveNpy, NamesPathsThatCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_THAT(save_error(folder.path()), HasSubstr("is a directory"));
  EXPECT_THAT(save_error(folder / "no/x.npy"),
              AllOf(StartsWith("[save_npy] "), HasSubstr("no/x.npy: "),
                    HasSubstr("No such file or directory")));
  save_npy(folder / "file", kArray);
  EXPECT_THAT(save_error(folder / "file/x.npy"), HasSubstr("Not a directory"));
  EXPECT_THAT(save_error(""), HasSubstr("expected the name of a file"));
  EXPECT_THAT(save_error(folder / std::string(300, 'x')), HasSubstr("File name too long"));
  EXPECT_THAT(names_in(folder), ElementsAre("file"));
}

TEST(SaveNpy, LeavesTheSignalOfTheFileSizeLimitAsItWas) {
  const TemporaryFolder folder;
  sigset_t before, after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  {
    const FileSizeLimit limit(10);
    EXPECT_THAT(save_error(folder / "x.npy"), HasSubstr("File too large"));
  }
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGXFSZ), sigismember(&after, SIGXFSZ));
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
}

TEST(SaveNpy, WritesToPipesAndDescriptors) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  Array<double> received;
  std::thread reader([&] { received = load_npy<double>(folder / "pipe"); });
  save_npy(folder / "pipe", kArray);
  reader.join();
  EXPECT_THAT(received.data, ElementsAre(1, 2));
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));

  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  save_npy(fmt::format("/dev/fd/{}", ends[1]), kArray);
  save_npy(fmt::format("/proc/self/fd/{}", ends[1]), Array<float>{{}, {5}});
  EXPECT_THAT(load_npy<double>(fmt::format("/dev/fd/{}", ends[0])).data, ElementsAre(1, 2));
  EXPECT_THAT(load_npy<double>(fmt::format("/dev/fd/{}", ends[0])).data, ElementsAre(5));
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_THAT(save_error(fmt::format("/dev/fd/{}", ends[1])), HasSubstr("Bad file descriptor"));
}

TEST(SaveNpy, StandardOutputContinuesWhereItIs) {
  // stdout redirected to a file: the array follows what was printed and precedes what will be.
  const TemporaryFolder folder;
  const fs::path path = folder / "out";
  EXPECT_EXIT(
      {
        if (std::freopen(path.c_str(), "w", stdout) == nullptr) std::exit(1);
        std::printf("before\n");
        save_npy("/dev/stdout", kArray);
        std::printf("after\n");
        std::fflush(stdout);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  const std::string text = read_file(path);
  EXPECT_THAT(text, StartsWith("before\n\x93NUMPY"));
  EXPECT_THAT(text, testing::EndsWith("after\n"));
  EXPECT_EQ(text.size(), 7u + 128 + 16 + 6);
}

}  // namespace
