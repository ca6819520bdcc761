// Code that is made at run time: its digests, its cache on the disk and in memory, its text.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "cudamat/code/cache.hpp"
#include "cudamat/code/fused_source.hpp"
#include "cudamat/code/headers.hpp"
#include "cudamat/code/recent.hpp"
#include "tests/fused_bodies.hpp"
#include "tests/python.hpp"

namespace {

using namespace cudamat::code;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using testing::SizeIs;
namespace fs = std::filesystem;

// ---- digests ----

std::string sha256(std::string_view text) {
  return hex(Digester().bytes(text).finish());
}

/// FIPS 180-4's own examples (csrc.nist.gov, SHA256.pdf), and that of a million letters.
TEST(Digest, IsSha256) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, DoesNotDependOnHowBytesAreCut) {
  Digester cut;
  const std::string text(300, 'x');
  for (std::size_t at = 0, n = 1; at < text.size(); at += n, n = n * 2 + 1)
    cut.bytes(std::string_view(text).substr(at, n));
  EXPECT_EQ(hex(cut.finish()), sha256(text));
}

TEST(Digest, DependsOnHowPartsAreCut) {
  EXPECT_NE(Digester().part("ab").part("c").finish(), Digester().part("a").part("bc").finish());
  EXPECT_NE(Digester().part("abc").finish(), Digester().part("abc").part("").finish());
}

// ---- the cache on the disk ----

Digest key(std::string_view text) {
  return Digester().part(text).finish();
}

class CodeCache : public testing::Test {
 protected:
  ~CodeCache() override { fs::permissions(folder_, fs::perms::owner_all); }

  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path());
    return found;
  }

  const tests::TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

TEST_F(CodeCache, KeepsCodeForOtherProcesses) {
  const std::string code("\0\n\xff code", 8);
  Cache(folder_).store(key("a"), code);
  EXPECT_THAT(Cache(folder_).find(key("a")), Optional(code));
  EXPECT_EQ(Cache(folder_).find(key("b")), std::nullopt);
  Cache(folder_).store(key("b"), "");
  EXPECT_THAT(Cache(folder_).find(key("b")), Optional(std::string()));
  EXPECT_THAT(files(), SizeIs(2));
}

TEST_F(CodeCache, MakesItsFolder) {
  const Cache cache(folder_ / "one" / "two");
  cache.store(key("a"), "code");
  EXPECT_THAT(cache.find(key("a")), Optional(std::string("code")));
}

TEST_F(CodeCache, DamageIsNotUsedAndIsRepaired) {
  const Cache cache(folder_);
  cache.store(key("a"), "some code");
  const fs::path file = files().at(0);
  const std::string whole = tests::read_file(file);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_EQ(cache.find(key("a")), std::nullopt) << at;
    std::ofstream(file, std::ios::binary) << whole.substr(0, at);
    EXPECT_EQ(cache.find(key("a")), std::nullopt) << at;
  }
  std::ofstream(file, std::ios::binary) << whole << '\0';
  EXPECT_EQ(cache.find(key("a")), std::nullopt);
  cache.store(key("a"), "some code");
  EXPECT_THAT(cache.find(key("a")), Optional(std::string("some code")));
}

TEST_F(CodeCache, CodeOfAnotherKeyIsNotUsed) {
  const Cache cache(folder_);
  cache.store(key("a"), "code of a");
  fs::copy_file(folder_ / hex(key("a")), folder_ / hex(key("b")));
  EXPECT_EQ(cache.find(key("b")), std::nullopt);
}

TEST_F(CodeCache, WhatIsNoFileIsNotUsed) {
  const Cache cache(folder_);
  fs::create_directory(folder_ / hex(key("a")));
  ASSERT_EQ(mkfifo((folder_ / hex(key("b"))).c_str(), 0600), 0);
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(cache.find(key(name)), std::nullopt);
    cache.store(key(name), "code");
  }
  EXPECT_EQ(cache.find(key("a")), std::nullopt);
  EXPECT_THAT(cache.find(key("b")), Optional(std::string("code")));
  EXPECT_THAT(files(), SizeIs(2));  // what could not be renamed is not left behind
}

/// As a process of user 65534, for whom permissions hold.
TEST_F(CodeCache, FolderThatCannotBeWrittenIsRead) {
  Cache(folder_).store(key("a"), "code");
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                               fs::perms::others_exec);
  fs::permissions(folder_ / hex(key("a")), fs::perms::owner_read | fs::perms::others_read);
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(2);
    const Cache cache(folder_);
    cache.store(key("b"), "more code");
    const bool read_a = cache.find(key("a")) == "code";  // written by root, or by this user
    _exit(read_a && cache.find(key("b")) == std::nullopt ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_THAT(files(), SizeIs(1));
}

TEST_F(CodeCache, FolderThatCannotBeMadeDoesNoHarm) {
  std::ofstream(folder_ / "file") << "x";
  for (const fs::path& folder : {folder_ / "file", folder_ / "file" / "below", fs::path()}) {
    const Cache cache(folder);
    cache.store(key("a"), "code");
    EXPECT_EQ(cache.find(key("a")), std::nullopt);
  }
  EXPECT_EQ(tests::read_file(folder_ / "file"), "x");
}

TEST_F(CodeCache, FilesOfOthersAreNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  Cache(folder_).store(key("a"), "code");
  ASSERT_EQ(chown((folder_ / hex(key("a"))).c_str(), 65534, 65534), 0);
  EXPECT_EQ(Cache(folder_).find(key("a")), std::nullopt);
}

TEST_F(CodeCache, FilesThatOthersCanWriteAreNotUsed) {
  for (const fs::perms who : {fs::perms::group_write, fs::perms::others_write}) {
    Cache(folder_).store(key("a"), "code");
    EXPECT_THAT(Cache(folder_).find(key("a")), Optional(std::string("code")));
    fs::permissions(folder_ / hex(key("a")), who, fs::perm_options::add);
    EXPECT_EQ(Cache(folder_).find(key("a")), std::nullopt);
  }
}

TEST_F(CodeCache, FilesLargerThanAllMayBeAreNotRead) {
  Cache(folder_).store(key("a"), std::string(10'000, 'x'));
  EXPECT_EQ(Cache(folder_, 5000).find(key("a")), std::nullopt);
  EXPECT_TRUE(Cache(folder_, 20'000).find(key("a")).has_value());
}

TEST_F(CodeCache, OldestGoWhereThereIsTooMuch) {
  const std::string code(1000, 'x');
  const Cache cache(folder_, 3500);
  const auto age = [&](const char* name, int hours) {
    fs::last_write_time(folder_ / hex(key(name)),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (const char* name : {"a", "b", "c"}) cache.store(key(name), code);
  age("a", 9);
  age("b", 8);
  age("c", 7);
  EXPECT_TRUE(cache.find(key("a")).has_value());  // used now
  std::ofstream(folder_ / "notes.txt") << std::string(5000, 'x');
  cache.store(key("d"), code);
  EXPECT_FALSE(cache.find(key("b")).has_value());
  for (const char* name : {"a", "c", "d"}) EXPECT_TRUE(cache.find(key(name)).has_value()) << name;
  EXPECT_TRUE(fs::exists(folder_ / "notes.txt"));  // not ours
}

TEST_F(CodeCache, RemovesWhatDeadProcessesLeft) {
  const fs::path old = folder_ / "writing-1-2-3", fresh = folder_ / "writing-4-5-6";
  for (const fs::path& path : {old, fresh}) std::ofstream(path) << "half";
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  Cache(folder_).store(key("a"), "code");
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
}

/// Several processes with several threads write and read the same few files: what is found is
/// whole.
TEST_F(CodeCache, ProcessesAtOnceDoNoHarm) {
  const auto code_of = [](int k) { return std::string(std::size_t(20000 + k), char('a' + k)); };
  const auto work = [&](int first) {
    const Cache cache(folder_, 100'000);
    bool good = true;
    for (int turn = 0; turn < 60; ++turn) {
      const int k = (first + turn) % 7;
      if (const auto found = cache.find(key(std::to_string(k)))) good &= *found == code_of(k);
      cache.store(key(std::to_string(k)), code_of(k));
    }
    return good;
  };
  std::vector<pid_t> children;
  for (int process = 0; process < 3; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      bool good[2] = {};
      std::thread other([&] { good[1] = work(process + 3); });
      good[0] = work(process);
      other.join();
      _exit(good[0] && good[1] ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  for (const fs::path& file : files()) EXPECT_THAT(file.filename().string(), SizeIs(64));
}

TEST_F(CodeCache, IsWhereTheEnvironmentSays) {
  const auto folder = [](const char* dir, const char* xdg, const char* home, const char* use) {
    const auto set = [](const char* name, const char* value) {
      value == nullptr ? unsetenv(name) : setenv(name, value, 1);
    };
    set("CUDAMAT_CACHE_DIR", dir);
    set("XDG_CACHE_HOME", xdg);
    set("HOME", home);
    set("CUDAMAT_CACHE", use);
    return Cache().folder().string();
  };
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  EXPECT_EQ(folder("/a", "/b", "/c", nullptr), "/a");
  EXPECT_EQ(folder(nullptr, "/b", "/c", "on"), "/b/cudamat");
  EXPECT_EQ(folder("", "relative", "/c", nullptr), "/c/.cache/cudamat");
  EXPECT_EQ(folder(nullptr, nullptr, nullptr, nullptr), "");
  EXPECT_EQ(folder("/a", "/b", "/c", "off"), "");
  (void)folder(nullptr, nullptr, home.c_str(), nullptr);
}

// ---- the cache in memory ----

struct Made {
  int times = 0;
};

TEST(Recent, KeepsWhatWasUsedLast) {
  Recent<int, Made> recent(2);
  const auto use = [&](int k) { return ++recent.at(0, k)->times; };  // one hash for all
  EXPECT_EQ(use(1), 1);
  EXPECT_EQ(use(2), 1);
  EXPECT_EQ(use(1), 2);
  EXPECT_EQ(use(3), 1);  // 2 goes
  EXPECT_EQ(use(1), 3);
  EXPECT_EQ(use(2), 1);  // 3 goes
  EXPECT_EQ(use(1), 4);
  EXPECT_EQ(use(3), 1);
}

TEST(Recent, WhoHoldsAValueKeepsIt) {
  Recent<int, Made> recent(1);
  const auto first = recent.at(1, 1);
  first->times = 5;
  const std::weak_ptr<Made> second = recent.at(2, 2);
  recent.at(1, 1);
  EXPECT_TRUE(second.expired());
  EXPECT_EQ(first->times, 5);
}

TEST(Recent, ThreadsShareIt) {
  Recent<int, std::atomic<int>> recent(100);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 4000; ++i) ++*recent.at(std::size_t(i % 50 / 3), i % 50);
    });
  for (std::thread& thread : threads) thread.join();
  for (int k = 0; k < 50; ++k) EXPECT_EQ(*recent.at(std::size_t(k / 3), k), 4 * 80);
}

// ---- the text ----

std::string source_of(const cudamat::FusedBody& body, const FusedLayout& layout) {
  return fused_source(body, layout, fused_kernel(body, layout));
}

TEST(FusedSource, HoldsNoNumbers) {
  fused_test::Maker make;
  const auto x = make.input(cudamat::Spread::Whole);
  make.store(make.step(cudamat::Op::mult, {x, make.number()}));
  EXPECT_THAT(source_of(make.body(), {}),
              HasSubstr("const Value v0 = functors::Mult{}(in[0], number[0]);\n    out[0] = v0;"));
}

TEST(FusedSource, DependsOnAllThatTheKernelDependsOn) {
  std::vector<std::string> sources;
  for (const auto& sample : fused_test::fixed()) sources.push_back(source_of(sample.body, {}));
  const auto body = fused_test::fixed()[1].body;
  for (const FusedLayout& layout :
       {FusedLayout{.is_double = true}, FusedLayout{.flat = true}, FusedLayout{.packs = true},
        FusedLayout{.is_double = true, .packs = true}})
    sources.push_back(source_of(body, layout));
  std::ranges::sort(sources);
  EXPECT_EQ(std::ranges::adjacent_find(sources), sources.end());
}

TEST(FusedSource, ReducedValuesAreStoredOnce) {
  fused_test::Maker make;
  const auto x = make.input(cudamat::Spread::Whole);
  const auto e = make.step(cudamat::Op::exp, {x});
  make.store(e).reduce(cudamat::Op::sum, e, 0).reduce(cudamat::Op::max, x, 0);
  make.reduce(cudamat::Op::min, x, 0);
  const auto dense = fused_kernel(make.body(), {.dense = true});
  EXPECT_THAT(dense.stored, ElementsAre(e, x));
  EXPECT_THAT(dense.reduced, ElementsAre(0, 1, 1));
  const auto apart = fused_kernel(make.body(), {});
  EXPECT_THAT(apart.stored, ElementsAre(e, e, x));
  EXPECT_THAT(apart.reduced, ElementsAre(1, 2, 2));
}

TEST(FusedSource, RefusesWhatIsTooLarge) {
  fused_test::Maker pointers, numbers, steps;
  auto x = pointers.input(cudamat::Spread::Whole);
  for (int i = 0; i < kMostFusedPointers; ++i) pointers.store(x);
  EXPECT_FALSE(fused_within_limits(pointers.body()));
  x = numbers.input(cudamat::Spread::Whole);
  for (int i = 0; i <= kMostFusedNumbers; ++i)
    x = numbers.step(cudamat::Op::add, {x, numbers.number()});
  EXPECT_FALSE(fused_within_limits(numbers.store(x).body()));
  x = steps.input(cudamat::Spread::Whole);
  for (int i = 0; i < 60; ++i) x = steps.step(cudamat::Op::tanh, {x});
  EXPECT_FALSE(fused_within_limits(steps.store(x).body()));
  for (const auto& sample : fused_test::fixed())
    EXPECT_TRUE(fused_within_limits(sample.body)) << sample.name;
}

TEST(EmbeddedHeaders, AreTheProjectsOwn) {
  for (const Header& header : headers()) {
    const std::string name = header.name;
    const bool standard = name.find('/') == std::string::npos;
    const fs::path root = CUDAMAT_SOURCE_DIR;
    EXPECT_EQ(header.text,
              tests::read_file(standard ? root / "cudamat/code/standard" / name : root / name));
  }
  EXPECT_THAT(headers(), SizeIs(testing::Gt(6u)));
}

}  // namespace
