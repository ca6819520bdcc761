// What load_npy does with damaged and hostile files: a clear error, or the array that NumPy reads.
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

#include "npmat/npy.hpp"
#include "tests/python.hpp"

namespace {

using namespace std::string_literals;
using cudamat::CUDAMatException;
using npmat::Array;
using npmat::load_npy;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using tests::TemporaryFolder;
using tests::write_file;

std::string with_header(const std::string& header,
                        const std::string& data = std::string(64, '\0')) {
  return "\x93NUMPY\x01\x00"s + static_cast<char>(header.size() & 0xff) +
         static_cast<char>(header.size() >> 8) + header + data;
}

std::string with_descr(const std::string& descr) {
  return with_header("{'descr': " + descr + ", 'fortran_order': False, 'shape': (2,), }");
}

std::string with_shape(const std::string& shape) {
  return with_header("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }");
}

// The error of loading these bytes from a file and from a stream, which must agree; "" if they
// load.
std::string error_of(const std::string& bytes) {
  static const TemporaryFolder folder;
  write_file(folder / "bad.npy", bytes);
  std::string from_file, from_stream;
  try {
    load_npy<double>(folder / "bad.npy");
  } catch (const CUDAMatException& e) {
    from_file = e.what();
    EXPECT_THAT(from_file, StartsWith("[load_npy] " + (folder / "bad.npy").string() + ": "));
    from_file.erase(0, ("[load_npy] " + folder.path().string() + "/").size());
  }
  std::istringstream stream(bytes);
  try {
    load_npy<double>(stream, "bad.npy");
  } catch (const CUDAMatException& e) {
    from_stream = e.what();
    from_stream.erase(0, "[load_npy] "s.size());
  }
  EXPECT_EQ(from_file, from_stream);
  return from_file;
}

TEST(NpyDamage, NamesWhatIsWrongWithTheStart) {
  EXPECT_EQ(error_of(""), "bad.npy: is empty; expected a .npy file");
  EXPECT_THAT(error_of("hello, world"),
              AllOf(HasSubstr("starts with \"hello,\""), HasSubstr("expected \"\\x93NUMPY\"")));
  EXPECT_THAT(error_of("\x93NUM"), HasSubstr("truncated: 4 bytes"));
  EXPECT_THAT(error_of("\x93NUMPY"), HasSubstr("truncated: 6 bytes"));
  EXPECT_THAT(error_of("PK\x03\x04 archive"), HasSubstr("zip archive"));
  EXPECT_THAT(error_of("\x1f\x8b\x08 gzip"), HasSubstr("gzip"));
  EXPECT_THAT(error_of("\x80\x04\x95 pickle"), HasSubstr("pickle"));
  EXPECT_THAT(error_of("\x93NUMPY\x04\x00\x10\x00\x00\x00"s),
              HasSubstr("version 4.0; expected 1.0, 2.0 or 3.0"));
  EXPECT_THAT(error_of("\x93NUMPY\x01\x01\x10\x00"s), HasSubstr("version 1.1"));
}

TEST(NpyDamage, NamesTheLengthOfATruncatedHeader) {
  EXPECT_THAT(error_of("\x93NUMPY\x01\x00\x76"s), HasSubstr("before the length of its header"));
  EXPECT_THAT(error_of("\x93NUMPY\x02\x00\x76\x00\x00"s), HasSubstr("before the length"));
  EXPECT_THAT(error_of("\x93NUMPY\x01\x00\x76\x00{'descr'"s),
              HasSubstr("header is truncated: expected 118 bytes, found 8"));
  EXPECT_THAT(error_of("\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'"s),
              HasSubstr("expected 4294967295 bytes, found 8"));
  EXPECT_THAT(error_of("\x93NUMPY\x02\x00\xff\xff\xff\x00"s + std::string(2 << 20, ' ')),
              HasSubstr("claims 16777215 bytes"));
}

TEST(NpyDamage, RefusesHeadersThatAreNoDictionaryOfTheThreeKeys) {
  const std::string keys = "'descr': '<f8', 'fortran_order': False, 'shape': (2,)";
  EXPECT_EQ(error_of(with_header("{" + keys + "}", std::string(16, '\0'))), "");
  EXPECT_THAT(error_of(with_header("")), HasSubstr("expected '{'"));
  EXPECT_THAT(error_of(with_header("[" + keys + "]")), HasSubstr("found \"['descr'"));
  EXPECT_THAT(error_of(with_header("{" + keys)), HasSubstr("expected ',' for the next entry"));
  EXPECT_THAT(error_of(with_header("{" + keys + "} or exit()")),
              AllOf(HasSubstr("nothing after the dictionary"), HasSubstr("found \"or exit()\"")));
  EXPECT_THAT(error_of(with_header("{" + keys + ", 'x': 1}")), HasSubstr("found \"'x': 1}\""));
  EXPECT_THAT(error_of(with_header("{" + keys + ", 'descr': '<f8'}")), HasSubstr("once"));
  EXPECT_THAT(error_of(with_header("{'descr': '<f8', 'shape': (2,)}")),
              HasSubstr("no 'fortran_order'"));
  EXPECT_THAT(error_of(with_header("{'fortran_order': True, 'shape': (2,)}")),
              HasSubstr("no 'descr'"));
  EXPECT_THAT(error_of(with_header("{}")), HasSubstr("no 'descr'"));
  EXPECT_THAT(error_of(with_header("{'descr")), HasSubstr("quote is never closed"));
  EXPECT_THAT(error_of(with_header("{'de\nscr': 1}")), HasSubstr("plain ASCII"));
  EXPECT_THAT(error_of(with_header("{'descr': '<f8', 'fortran_order': 0, 'shape': (2,)}")),
              HasSubstr("expected True or False"));
  EXPECT_THAT(error_of(with_header(std::string(60000, '{'))), HasSubstr("a key in quotes"));
}

TEST(NpyDamage, RefusesImpossibleShapes) {
  const std::string right = with_shape("(2, 2)");
  EXPECT_EQ(error_of(right.substr(0, right.size() - 32)), "");
  EXPECT_THAT(error_of(with_shape("(-1,)")), HasSubstr("negative"));
  EXPECT_THAT(error_of(with_shape("2")), HasSubstr("expected a tuple"));
  EXPECT_THAT(error_of(with_shape("[2]")), HasSubstr("expected a tuple"));
  EXPECT_THAT(error_of(with_shape("(2)")), HasSubstr("',' after the only dimension"));
  EXPECT_THAT(error_of(with_shape("(2.0,)")), HasSubstr("found \".0,)"));
  EXPECT_THAT(error_of(with_shape("(True,)")), HasSubstr("whole number"));
  EXPECT_THAT(error_of(with_shape("((2,),)")), HasSubstr("whole number"));
  EXPECT_THAT(error_of(with_shape("(02,)")), HasSubstr("leading zeros"));
  EXPECT_THAT(error_of(with_shape("(9223372036854775808,)")),
              HasSubstr("dimension 9223372036854775808 exceeds 2^63-1"));
  EXPECT_THAT(error_of(with_shape("(9223372036854775807,)")), HasSubstr("exceeds 2^63-1 bytes"));
  EXPECT_THAT(error_of(with_shape("(4294967296, 2147483648)")), HasSubstr("exceeds 2^63-1 bytes"));
  EXPECT_THAT(error_of(with_shape("(0, 4294967296, 2147483648)")), HasSubstr("2^63-1 bytes"));
  std::string many = "(";
  for (int i = 0; i < 33; ++i) many += "1, ";
  EXPECT_THAT(error_of(with_shape(many + ")")), HasSubstr("more than 32 dimensions"));
}

TEST(NpyDamage, ClaimedSizesAreNotAllocated) {
  // 8 TiB and 4 EiB: had they been asked for, the error would be about memory.
  EXPECT_THAT(error_of(with_shape("(1099511627776,)")),
              HasSubstr("shape (1099511627776,) of '<f8' needs 8796093022208 bytes, found 64"));
  EXPECT_THAT(error_of(with_shape("(576460752303423488,)")), HasSubstr("found 64"));
  EXPECT_THAT(error_of(with_shape("(3, 3)")), HasSubstr("needs 72 bytes, found 64"));
}

TEST(NpyDamage, RefusesWhatIsNotNumbers) {
  EXPECT_THAT(error_of(with_descr("'|O'")), AllOf(HasSubstr("pickle"), HasSubstr(".astype(")));
  EXPECT_THAT(error_of(with_descr("'<c16'")), HasSubstr("complex"));
  EXPECT_THAT(error_of(with_descr("'<U5'")), AllOf(HasSubstr("text"), HasSubstr(".astype(")));
  EXPECT_THAT(error_of(with_descr("'|S5'")), HasSubstr("text"));
  EXPECT_THAT(error_of(with_descr("'|V8'")), HasSubstr("raw bytes"));
  EXPECT_THAT(error_of(with_descr("'<M8[ns]'")), HasSubstr("dates"));
  EXPECT_THAT(error_of(with_descr("[('a', '<f8')]")), HasSubstr("structured"));
  EXPECT_THAT(error_of(with_descr("('<f8', (2,))")), HasSubstr("structured"));
  EXPECT_THAT(error_of(with_descr("'<f3'")), HasSubstr("unknown dtype '<f3'"));
  EXPECT_THAT(error_of(with_descr("''")), HasSubstr("unknown dtype ''"));
  EXPECT_THAT(error_of(with_descr("8")), HasSubstr("a dtype in quotes"));
}

TEST(NpyDamage, NamesFilesThatCannotBeRead) {
  const TemporaryFolder folder;
  const auto message = [](const std::filesystem::path& path) {
    try {
      npmat::read_npy_header(path);
    } catch (const CUDAMatException& e) {
      return std::string(e.what());
    }
    return "no error"s;
  };
  EXPECT_EQ(message("/no/such/file.npy"),
            "[read_npy_header] /no/such/file.npy: cannot be read: No such file or directory");
  EXPECT_THAT(message(folder.path()), HasSubstr("is a directory"));
  EXPECT_THAT(message(""), HasSubstr("No such file or directory"));
  EXPECT_THAT(message(folder / "line\nbreak"), HasSubstr("line\\x0abreak"));
  std::istringstream broken("x");
  broken.setstate(std::ios::badbit);
  EXPECT_THROW(load_npy<float>(broken), CUDAMatException);
  const tests::OrdinaryUser user(folder);
  write_file(folder / "secret.npy", "x");
  std::filesystem::permissions(folder / "secret.npy", std::filesystem::perms::none);
  EXPECT_THAT(message(folder / "secret.npy"), HasSubstr("Permission denied"));
}

TEST(NpyDamage, EveryTruncationIsAnError) {
  const std::string whole = with_header(
      "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", std::string(32, 'x'));
  ASSERT_EQ(error_of(whole), "");
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_NE(error_of(whole.substr(0, n)), "") << n;
}

// ---- mutations

constexpr int kMutants = 6000;

std::string seed_file(std::mt19937& random) {
  const char* const types[] = {"<f8", ">f8", "<f4", "|b1", "<i2", ">u8", "<f2", "<f16", ">f16"};
  const char* const shapes[] = {"()", "(3,)", "(2, 3)", "(0, 3)", "(2, 3, 2)", "(1, 12)"};
  std::string header = "{'descr': '"s + types[random() % 9] +
                       "', 'fortran_order': " + (random() % 2 ? "True" : "False") +
                       ", 'shape': " + shapes[random() % 6] + ", }";
  header += std::string(random() % 3, ' ') + "\n";
  std::string data(12 * 16, '\0');
  for (char& c : data) c = static_cast<char>(random());
  std::string file = with_header(header, data);
  const auto version = static_cast<char>(1 + random() % 3);
  file[6] = version;
  if (version > 1) file.insert(10, 2, '\0');
  return file;
}

std::string mutate(std::string file, std::mt19937& random) {
  const std::string alphabet = "{}()[]',:\"0123456789-L. <>|=fiubcOSUVTrueFalsdhpon_\n\t\\\0\xff"s;
  const auto at = [&] { return random() % std::min<std::size_t>(file.size(), 100); };
  for (unsigned steps = 1 + random() % 3; steps > 0 && !file.empty(); --steps) {
    const char c = alphabet[random() % alphabet.size()];
    switch (random() % 7) {
      case 0:
        file[at()] = static_cast<char>(random());
        break;
      case 1:
        file[at()] = c;
        break;
      case 2:
        file.insert(at(), 1, c);
        break;
      case 3:
        file.erase(at(), 1 + random() % 4);
        break;
      case 4:
        file.resize(random() % (file.size() + 1));
        break;
      case 5:
        file[8 % file.size()] = static_cast<char>(random());
        break;
      default:
        file.insert(at(), file.substr(at(), random() % 12));
        break;
    }
  }
  return file;
}

// The elements as Python's float.hex prints the doubles; NaN without sign or payload.
std::string described(const Array<double>& array) {
  std::ostringstream text;
  text << npmat::shape_text(array.shape);
  for (const double x : array.data) {
    if (std::isnan(x)) {
      text << " nan";
    } else {
      std::uint64_t bits;
      std::memcpy(&bits, &x, sizeof bits);
      text << " " << std::hex << bits;
    }
  }
  return text.str();
}

std::vector<std::string> mutants() {
  std::mt19937 random(20240229);
  std::vector<std::string> files;
  for (int i = 0; i < kMutants; ++i) files.push_back(mutate(seed_file(random), random));
  return files;
}

// What loading gives: the array described, or "refused".
std::string outcome(const std::string& bytes) {
  std::istringstream stream(bytes);
  try {
    return described(load_npy<double>(stream));
  } catch (const CUDAMatException&) {
    return "refused";
  }
}

TEST(NpyDamage, MutatedFilesLoadOrAreRefused) {
  const TemporaryFolder folder;
  int loaded = 0, number = 0;
  for (const std::string& bytes : mutants()) {
    const std::string result = outcome(bytes);
    loaded += result != "refused";
    if (number++ % 4 != 0) continue;  // files take longer than streams
    write_file(folder / "x.npy", bytes);
    try {
      EXPECT_EQ(described(load_npy<double>(folder / "x.npy")), result);
    } catch (const CUDAMatException& error) {  // a stream may go on after its array
      const bool goes_on = std::string(error.what()).find("bytes follow") != std::string::npos;
      EXPECT_EQ(goes_on, result != "refused") << error.what();
    }
  }
  // Both ways are taken often, or the mutations test nothing.
  EXPECT_GT(loaded, kMutants / 10);
  EXPECT_LT(loaded, kMutants / 10 * 9);
}

const char* const kLoadMutants = R"(
import sys, io, struct, warnings, numpy as np
warnings.simplefilter('ignore')
np.seterr(all='ignore')
def text(a):
    a = np.ascontiguousarray(a.astype(np.float64)).reshape(a.shape)
    words = [' nan' if x != x else ' %x' % struct.unpack('<Q', struct.pack('<d', x))[0] for x in a.ravel()]
    return str(a.shape) + ''.join(words)
data = open(sys.argv[1], 'rb').read()
while data:
    n, = struct.unpack('<I', data[:4]); one, data = data[4:4 + n], data[4 + n:]
    try:
        print(text(np.lib.format.read_array(io.BytesIO(one), allow_pickle=False)))
    except Exception as e:
        print('refused')
)";

TEST(NpyDamage, MutantsThatLoadAreWhatNumpyReads) {
  CUDAMAT_NEEDS_NUMPY();
  const TemporaryFolder folder;
  const std::vector<std::string> files = mutants();
  std::string all;
  for (const std::string& bytes : files) {
    const auto n = static_cast<std::uint32_t>(bytes.size());
    all.append(reinterpret_cast<const char*>(&n), sizeof n).append(bytes);
  }
  write_file(folder / "all", all);
  std::istringstream numpy(tests::run_python(kLoadMutants, {(folder / "all").string()}));
  int refused_by_us_alone = 0;
  for (const std::string& bytes : files) {
    std::string expected;
    ASSERT_TRUE(std::getline(numpy, expected));
    const std::string ours = outcome(bytes);
    refused_by_us_alone += ours == "refused" && expected != "refused";
    if (ours != "refused") {
      EXPECT_EQ(ours, expected) << testing::PrintToString(bytes.substr(0, 110));
    }
  }
  // NumPy takes more of Python's syntax (comments, hexadecimal numbers) and more dtypes.
  EXPECT_LT(refused_by_us_alone, kMutants / 50);
}

}  // namespace
