// Reading IDX files, compressed or not, whole, damaged and hostile.
#include <algorithm>
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <zlib.h>

#include "cudamat/error.hpp"
#include "npmat/idx.hpp"
#include "tests/python.hpp"

namespace {

using namespace std::string_literals;
namespace fs = std::filesystem;
using cudamat::CUDAMatException;
using npmat::IdxFile;
using npmat::read_idx;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using tests::read_file;
using tests::TemporaryFolder;
using tests::write_file;

// 2 x 3 bytes, after the description of the format.
const std::string kSmall = "\0\0\x08\x02\0\0\0\x02\0\0\0\x03\x01\x02\x03\xfd\xfe\xff"s;

std::string gzipped(const std::string& bytes) {
  const TemporaryFolder folder;
  const gzFile file = gzopen((folder / "x.gz").c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return read_file(folder / "x.gz");
}

std::string error_of(const std::string& bytes) {
  const TemporaryFolder folder;
  write_file(folder / "bad", bytes);
  try {
    read_idx(folder / "bad");
  } catch (const CUDAMatException& e) {
    const std::string error = e.what();
    EXPECT_THAT(error, StartsWith("[read_idx] " + (folder / "bad").string() + ": "));
    return error;
  }
  return "no error";
}

TEST(Idx, ReadsBytesPlainAndCompressed) {
  const TemporaryFolder folder;
  write_file(folder / "plain", kSmall);
  write_file(folder / "packed", gzipped(kSmall));
  for (const char* name : {"plain", "packed"}) {
    const IdxFile file = read_idx(folder / name);
    EXPECT_THAT(file.shape, ElementsAre(2, 3));
    EXPECT_THAT(file.data, ElementsAre(1, 2, 3, 253, 254, 255));
  }
}

TEST(Idx, ReadsEmptyAndLargeArrays) {
  const TemporaryFolder folder;
  write_file(folder / "empty", "\0\0\x08\x02\0\0\0\0\xff\xff\xff\xff"s);
  EXPECT_THAT(read_idx(folder / "empty").shape, ElementsAre(0, 4294967295));
  EXPECT_TRUE(read_idx(folder / "empty").data.empty());
  std::string data(5'000'000, '\0');  // more than is read at once
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * i >> 7);
  write_file(folder / "large", gzipped("\0\0\x08\x01\0\x4c\x4b\x40"s + data));
  const IdxFile file = read_idx(folder / "large");
  EXPECT_EQ(std::string(file.data.begin(), file.data.end()), data);
}

TEST(Idx, NamesWhatIsWrong) {
  EXPECT_THAT(error_of(""), HasSubstr("is not an IDX file"));
  EXPECT_THAT(error_of("\x93NUMPY\x01"), HasSubstr("starts with \"\\x93NUM\""));
  EXPECT_THAT(error_of("\0\0\x0d\x01\0\0\0\x01"s),
              AllOf(HasSubstr("type 0x0d (32-bit floating point)"), HasSubstr("expected 0x08")));
  EXPECT_THAT(error_of("\0\0\x07\x01\0\0\0\x01"s), HasSubstr("unknown type"));
  EXPECT_THAT(error_of("\0\0\x08\x00"s), HasSubstr("0 dimensions"));
  EXPECT_THAT(error_of("\0\0\x08\xff"s), HasSubstr("255 dimensions; expected 1 to 32"));
  EXPECT_THAT(error_of("\0\0\x08\x02\0\0\0\x01\0"s), HasSubstr("found 5 of 8 bytes"));
  EXPECT_THAT(error_of("\0\0\x08\x03"s + std::string(12, '\xff')), HasSubstr("exceeds 2^63-1"));
  EXPECT_THAT(error_of(kSmall.substr(0, 15)), HasSubstr("shape (2, 3) needs 6 bytes, found 3"));
  EXPECT_THAT(error_of(kSmall + "x"), HasSubstr("has bytes beyond the 6"));
}

TEST(Idx, ClaimedSizesAreNotAllocated) {
  // 4 EiB: had they been asked for, the error would be about memory.
  EXPECT_THAT(error_of("\0\0\x08\x02\x7f\xff\xff\xff\x7f\xff\xff\xff"s + "abc"),
              HasSubstr("needs 4611686014132420609 bytes, found 3"));
}

TEST(Idx, NamesDamageOfCompressedData) {
  std::string bytes(20000, 'x');
  std::mt19937 random(1);
  for (char& c : bytes) c = static_cast<char>(random());
  const std::string packed = gzipped("\0\0\x08\x01\0\0\x4e\x20"s + bytes);
  EXPECT_EQ(error_of(packed), "no error");
  EXPECT_THAT(error_of(packed.substr(0, 10000)),
              AllOf(HasSubstr("compressed data are damaged"), HasSubstr("unexpected end")));
  std::string checksum = packed;
  checksum[checksum.size() - 8] ^= 1;
  EXPECT_THAT(error_of(checksum), AllOf(HasSubstr("damaged"), HasSubstr("incorrect data check")));
  EXPECT_THAT(error_of(packed.substr(0, packed.size() - 4)), HasSubstr("damaged"));
}

TEST(Idx, NamesFilesThatCannotBeRead) {
  const TemporaryFolder folder;
  const auto message = [](const fs::path& path) {
    try {
      read_idx(path);
    } catch (const CUDAMatException& e) {
      return std::string(e.what());
    }
    return "no error"s;
  };
  EXPECT_THAT(message("/no/such/file"), HasSubstr("No such file or directory"));
  EXPECT_THAT(message(folder.path()), HasSubstr("is a directory"));
}

TEST(Idx, MutatedFilesLoadOrAreRefused) {
  const TemporaryFolder folder;
  const std::string packed = gzipped(kSmall);
  std::mt19937 random(7);
  int loaded = 0, refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = i % 2 == 0 ? kSmall : packed;
    for (unsigned steps = 1 + random() % 2; steps > 0; --steps) {
      const std::size_t at = random() % bytes.size();
      if (random() % 4 == 0) {
        bytes.resize(1 + at);
      } else {
        bytes[at] = static_cast<char>(random());
      }
    }
    write_file(folder / "x", bytes);
    try {
      const IdxFile file = read_idx(folder / "x");
      std::size_t count = 1;
      for (const std::int64_t n : file.shape) count *= static_cast<std::size_t>(n);
      EXPECT_EQ(file.data.size(), count);
      ++loaded;
    } catch (const CUDAMatException&) {
      ++refused;
    }
  }
  EXPECT_GT(loaded, 100);
  EXPECT_GT(refused, 100);
}

TEST(FindIdx, PrefersThePlainFileAndNamesWhatItLookedFor) {
  const TemporaryFolder folder;
  const std::string stem = "t10k-images-idx3-ubyte";
  try {
    npmat::find_idx(folder.path(), stem);
    FAIL() << "found a file in an empty folder";
  } catch (const CUDAMatException& e) {
    EXPECT_EQ(e.what(), "[find_idx] " + folder.path().string() +
                            ": has none of: t10k-images-idx3-ubyte, t10k-images-idx3-ubyte.gz, "
                            "t10k-images.idx3-ubyte, t10k-images.idx3-ubyte.gz");
  }
  for (const char* name :
       {"t10k-images.idx3-ubyte", "t10k-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte"}) {
    write_file(folder / name, "");
    EXPECT_EQ(npmat::find_idx(folder.path(), stem), folder / name);
  }
  EXPECT_THROW(npmat::find_idx(folder / "none", stem), CUDAMatException);
}

TEST(Idx, ReadsTheDigitsOfMnist) {
  const fs::path folder = fs::path(CUDAMAT_SOURCE_DIR) / "../shared/data/mnist";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no MNIST files in " << folder;
  const IdxFile images = read_idx(npmat::find_idx(folder, "t10k-images-idx3-ubyte"));
  EXPECT_THAT(images.shape, ElementsAre(10000, 28, 28));
  const IdxFile labels = read_idx(npmat::find_idx(folder, "t10k-labels-idx1-ubyte"));
  EXPECT_THAT(labels.shape, ElementsAre(10000));
  EXPECT_THAT(std::vector<int>(labels.data.begin(), labels.data.begin() + 10),
              ElementsAre(7, 2, 1, 0, 4, 1, 4, 9, 5, 9));
  std::array<int, 10> counts{};  // as published with the data set
  for (const std::uint8_t label : labels.data) ++counts.at(label);
  EXPECT_THAT(counts, ElementsAre(980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009));
  // The first digit: rows of background, then the bar of a 7.
  EXPECT_EQ(*std::max_element(images.data.begin(), images.data.begin() + 28 * 7), 0);
  EXPECT_GT(images.data[28 * 8 + 10], 200);
}

}  // namespace
