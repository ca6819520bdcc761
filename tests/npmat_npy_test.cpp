// What load_npy and save_npy do with good files, judged by NumPy and by recorded bytes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "npmat/npy.hpp"
#include "tests/python.hpp"

namespace {

using namespace std::string_literals;
using npmat::Array;
using npmat::load_npy;
using npmat::save_npy;
using testing::ElementsAre;
using tests::read_file;
using tests::TemporaryFolder;
using tests::write_file;

// A whole file, version 1.0, around the text of a header.
std::string npy_bytes(const std::string& header, const std::string& data) {
  return "\x93NUMPY\x01\x00"s + static_cast<char>(header.size() & 0xff) +
         static_cast<char>(header.size() >> 8) + header + data;
}

std::string bytes_of(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

template <class T>
constexpr std::size_t kValueBytes = std::is_same_v<T, long double> ? 10 : sizeof(T);

template <class T>
bool same_value(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::memcmp(&a, &b, kValueBytes<T>) == 0;
}

// Raw elements as NumPy's tofile wrote them.
template <class T>
std::vector<T> raw(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// ---- reading

const char* const kWriteEverything = R"(
import sys, itertools, numpy as np
out = sys.argv[1]
rng = np.random.RandomState(5)
shapes = [(), (1,), (5,), (0,), (0, 3), (3, 0), (3, 4), (1, 4), (4, 1), (2, 3, 4), (3, 1, 2, 5), (40, 70),
          (5, 33, 2, 35), (2, 0, 3), (1,) * 32, (300, 1000)]
number = 0
def emit(a, order, version):
    global number
    name = '%s/%d' % (out, number); number += 1
    with open(name + '.npy', 'wb') as f:
        np.lib.format.write_array(f, np.array(a, order=order), version=version)
    with np.errstate(all='ignore'):
        for short, t in (('4', np.float32), ('8', np.float64), ('16', np.longdouble)):
            np.ascontiguousarray(a.astype(t)).tofile(name + '.raw' + short)
    print(name, a.dtype.str, order, *version, *a.shape, sep=' ')
def values(dt, n):
    if dt.kind == 'b':
        return rng.randint(0, 2, n).astype(dt)
    if dt.kind in 'iu':
        i = np.iinfo(dt)
        v = np.frombuffer(rng.bytes(n * dt.itemsize), dt.newbyteorder('=')).copy()
        v[:3] = [i.min, i.max, 1][:len(v)]
        return v.astype(dt)
    f = np.finfo(dt)
    v = (rng.randn(n) * 10.0 ** rng.randint(-3, 3, n)).astype(dt)
    if dt.itemsize == 16: v = v / dt.type(3)
    special = [np.nan, -0.0, np.inf, -np.inf, f.max, f.tiny, f.tiny / 4]
    v[:7] = special[:len(v)]
    return v.astype(dt)
types = [np.dtype(e + t) for t in ('i2', 'i4', 'i8', 'u2', 'u4', 'u8', 'f2', 'f4', 'f8', 'f16') for e in '<>']
types += [np.dtype(t) for t in ('b1', 'i1', 'u1')]
versions = itertools.cycle([(1, 0), (2, 0), (3, 0)])
for dt in types:
    for shape in shapes:
        for order in 'CF':
            emit(values(dt, int(np.prod(shape))).reshape(shape), order, next(versions))
every_half = np.arange(65536).astype(np.uint16).view(np.float16)
emit(every_half, 'C', (1, 0))
)";

template <class T>
void expect_loads(const std::string& name, const std::vector<std::int64_t>& shape) {
  const Array<T> array = load_npy<T>(name + ".npy");
  const std::vector<T> expected = raw<T>(fmt::format("{}.raw{}", name, sizeof(T)));
  ASSERT_EQ(array.shape, shape);
  ASSERT_EQ(array.data.size(), expected.size());
  EXPECT_EQ(array.size(), static_cast<std::int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(same_value(array.data[i], expected[i]))
        << "element " << i << ": " << array.data[i] << ", NumPy " << expected[i];
  }
}

TEST(Npy, ReadsEveryDtypeOrderVersionAndShapeAsNumpyConvertsIt) {
  CUDAMAT_NEEDS_NUMPY();
  const TemporaryFolder folder;
  std::istringstream list(tests::run_python(kWriteEverything, {folder.path().string()}));
  int count = 0;
  for (std::string line; std::getline(list, line); ++count) {
    SCOPED_TRACE(line);
    std::istringstream words(line);
    std::string name, dtype, order;
    int major = 0, minor = 0;
    words >> name >> dtype >> order >> major >> minor;
    std::vector<std::int64_t> shape;
    for (std::int64_t n = 0; words >> n;) shape.push_back(n);

    const npmat::NpyHeader header = npmat::read_npy_header(name + ".npy");
    EXPECT_EQ(header.dtype, dtype);
    EXPECT_EQ(header.shape, shape);
    expect_loads<float>(name, shape);
    expect_loads<double>(name, shape);
    expect_loads<long double>(name, shape);
    ASSERT_FALSE(HasFatalFailure());
  }
  EXPECT_EQ(count, 23 * 16 * 2 + 1);
}

TEST(Npy, ReadsRecordedBytes) {
  std::istringstream little(
      npy_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n",
                bytes_of({1, 2, 3, 4, 5, 6})));
  EXPECT_THAT(load_npy<double>(little).data, ElementsAre(1, 2, 3, 4, 5, 6));
  std::istringstream fortran(
      npy_bytes("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }\n",
                bytes_of({1, 2, 3, 4, 5, 6})));
  EXPECT_THAT(load_npy<double>(fortran).data, ElementsAre(1, 3, 5, 2, 4, 6));
  std::istringstream big(npy_bytes("{'descr': '>i2', 'fortran_order': False, 'shape': (3,), }\n",
                                   "\x01\x02\xff\xfe\x80\x00"s));
  EXPECT_THAT(load_npy<float>(big).data, ElementsAre(258, -2, -32768));
  std::istringstream half(npy_bytes("{'descr': '>f2', 'fortran_order': False, 'shape': (3,), }\n",
                                    "\x3c\x00\xc0\x00\x00\x01"s));
  EXPECT_THAT(load_npy<float>(half).data, ElementsAre(1, -2, 0x1p-24f));
  std::istringstream boolean(
      npy_bytes("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }\n", "\x00\x01\x02"s));
  EXPECT_THAT(load_npy<double>(boolean).data, ElementsAre(0, 1, 1));
}

TEST(Npy, ReadsThe80BitsOfLongDouble) {
  // 1/3 as x86 stores it, once with junk in the padding.
  const std::string third = "\xab\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xfd\x3f"s;
  std::istringstream file(npy_bytes("{'descr': '<f16', 'fortran_order': False, 'shape': (2,), }",
                                    third + "\0\0\0\0\0\0"s + third + "junk!!"));
  EXPECT_THAT(load_npy<long double>(file).data, ElementsAre(1.0L / 3, 1.0L / 3));
  std::istringstream short_file(
      npy_bytes("{'descr': '<f12', 'fortran_order': False, 'shape': (1,), }", third + "\0\0"s));
  EXPECT_THAT(load_npy<long double>(short_file).data, ElementsAre(1.0L / 3));
}

TEST(Npy, TurnsInvalidLongDoublesIntoNaN) {
  // A normal exponent without the leading bit of the mantissa: no number on any x86 since the
  // 80387.
  std::istringstream file(npy_bytes("{'descr': '<f16', 'fortran_order': False, 'shape': (), }",
                                    "\1\0\0\0\0\0\0\0\xff\x3f\0\0\0\0\0\0"s));
  const Array<long double> array = load_npy<long double>(file);
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  EXPECT_EQ(std::memcmp(array.data.data(), &nan, kValueBytes<long double>), 0);
}

TEST(Npy, AcceptsTheDictionaryHoweverPythonCouldWriteIt) {
  for (const std::string header :
       {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }",
        "{'shape':(2,1),'fortran_order':False,'descr':'<f8'}",
        " \t{\"descr\" : \"<f8\",\n \"shape\": (2 , 1 ,), 'fortran_order':\tFalse\r\n}  \n",
        "{'descr': '=f8', 'fortran_order': False, 'shape': (2L, 1L), }",
        "{'descr': 'f8', 'fortran_order': False, 'shape': (2, 1), }"}) {
    SCOPED_TRACE(header);
    std::istringstream file(npy_bytes(header, bytes_of({7, 8})));
    const Array<double> array = load_npy<double>(file);
    EXPECT_THAT(array.shape, ElementsAre(2, 1));
    EXPECT_THAT(array.data, ElementsAre(7, 8));
  }
}

TEST(Npy, ReadsArraysThatFollowEachOtherInAStream) {
  const TemporaryFolder folder;
  save_npy<float>(folder / "a.npy", {{2}, {1, 2}});
  save_npy<double>(folder / "b.npy", {{}, {3}});
  std::istringstream both(read_file(folder / "a.npy") + read_file(folder / "b.npy") + "rest");
  both.exceptions(std::ios::failbit | std::ios::badbit);
  EXPECT_THAT(load_npy<double>(both).data, ElementsAre(1, 2));
  EXPECT_THAT(load_npy<float>(both).data, ElementsAre(3));
  std::string rest;
  both >> rest;
  EXPECT_EQ(rest, "rest");
}

TEST(Npy, AFileEndsWithItsArrayAndAStreamMayGoOn) {
  const TemporaryFolder folder;
  const std::string bytes = npy_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
                                      bytes_of({4}) + "more");
  write_file(folder / "x.npy", bytes);
  EXPECT_THAT([&] { load_npy<double>(folder / "x.npy"); },
              testing::ThrowsMessage<cudamat::CUDAMatException>(
                  testing::HasSubstr("4 bytes follow the array")));
  std::istringstream stream(bytes);
  EXPECT_THAT(load_npy<double>(stream).data, ElementsAre(4));
}

TEST(Npy, HeaderIsReadWithoutTheData) {
  const TemporaryFolder folder;
  write_file(
      folder / "x.npy",
      npy_bytes("{'descr': '>f4', 'fortran_order': True, 'shape': (1099511627776, 2), }", "abc"));
  const npmat::NpyHeader header = npmat::read_npy_header(folder / "x.npy");
  EXPECT_EQ(header.dtype, ">f4");
  EXPECT_TRUE(header.fortran_order);
  EXPECT_THAT(header.shape, ElementsAre(1099511627776, 2));
}

// ---- writing

TEST(Npy, WritesRecordedBytes) {
  const TemporaryFolder folder;
  save_npy<double>(folder / "x.npy", {{2, 1}, {1, -2}});
  const std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }";
  EXPECT_EQ(read_file(folder / "x.npy"),
            "\x93NUMPY\x01\x00\x76\x00"s + text + std::string(117 - text.size(), ' ') + "\n" +
                "\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\xc0"s);
  save_npy<long double>(folder / "y.npy", {{}, {-1.5L}});
  const std::string scalar = "{'descr': '<f16', 'fortran_order': False, 'shape': (), }";
  EXPECT_EQ(read_file(folder / "y.npy"),
            "\x93NUMPY\x01\x00\x76\x00"s + scalar + std::string(117 - scalar.size(), ' ') + "\n" +
                "\x00\x00\x00\x00\x00\x00\x00\xc0\xff\xbf\x00\x00\x00\x00\x00\x00"s);
}

const std::vector<std::vector<std::int64_t>> kShapes{{},        {1},
                                                     {7},       {0},
                                                     {0, 3},    {3, 0},
                                                     {2, 3},    {1, 1},
                                                     {5, 1},    {2, 3, 4},
                                                     {1234567}, {4, 0, 123456},
                                                     {300, 50}, std::vector<std::int64_t>(32, 1)};

template <class T>
void save_every_shape(const TemporaryFolder& folder) {
  int number = 0;
  for (const auto& shape : kShapes) {
    Array<T> array{shape, std::vector<T>(static_cast<std::size_t>(npmat::element_count(shape)))};
    for (std::size_t i = 0; i < array.data.size(); ++i) array.data[i] = static_cast<T>(i) / 7 - 2;
    const std::string name = fmt::format("f{}-{}", sizeof(T), number++);
    save_npy(folder / (name + ".npy"), array);
    std::ofstream list(folder / "list", std::ios::app);
    list << name << " <f" << sizeof(T);
    for (const std::int64_t n : shape) list << " " << n;
    list << "\n";
  }
}

const char* const kCheckSaved = R"(
import sys, io, os, numpy as np
folder = sys.argv[1]
for line in open(folder + '/list'):
    name, dt, *shape = line.split()
    shape = tuple(map(int, shape))
    path = folder + '/' + name + '.npy'
    got = np.load(path)
    n = int(np.prod(shape))
    flat = np.zeros(n, dt)
    flat[...] = np.arange(n).astype(dt)
    flat = flat / flat.dtype.type(7) - flat.dtype.type(2)
    want = flat.reshape(shape)
    assert got.dtype.str == dt and got.shape == shape, (name, got.dtype, got.shape)
    assert np.array_equal(got, want), name
    clean = np.frombuffer(np.ascontiguousarray(want).tobytes(), np.uint8).copy()
    if dt == '<f16': clean.reshape(-1, 16)[:, 10:] = 0   # NumPy's padding is what was in memory
    b = io.BytesIO(); np.save(b, want)
    expected = b.getvalue()[:len(b.getvalue()) - clean.size] + clean.tobytes()
    assert open(path, 'rb').read() == expected, name
    print(name)
)";

TEST(Npy, WritesTheBytesThatNumpyWrites) {
  CUDAMAT_NEEDS_NUMPY();
  const TemporaryFolder folder;
  save_every_shape<float>(folder);
  save_every_shape<double>(folder);
  save_every_shape<long double>(folder);
  const std::string checked = tests::run_python(kCheckSaved, {folder.path().string()});
  EXPECT_EQ(std::count(checked.begin(), checked.end(), '\n'),
            static_cast<std::ptrdiff_t>(3 * kShapes.size()));
}

template <class T>
void expect_round_trip() {
  const TemporaryFolder folder;
  const T inf = std::numeric_limits<T>::infinity();
  const Array<T> array{{2, 3},
                       {T(1) / 3, -T(0), inf, -inf, std::numeric_limits<T>::denorm_min(),
                        std::numeric_limits<T>::max()}};
  save_npy(folder / "x.npy", array);
  const Array<T> again = load_npy<T>(folder / "x.npy");
  EXPECT_EQ(again.shape, array.shape);
  for (std::size_t i = 0; i < array.data.size(); ++i) {
    EXPECT_TRUE(same_value(again.data[i], array.data[i])) << i;
  }
}

TEST(Npy, KeepsEveryBitInARoundTrip) {
  expect_round_trip<float>();
  expect_round_trip<double>();
  expect_round_trip<long double>();
}

TEST(Npy, KeepsThePayloadOfNaN) {
  const TemporaryFolder folder;
  const std::uint32_t bits = 0xffc12345u;
  Array<float> array{{1}, {0}};
  std::memcpy(array.data.data(), &bits, sizeof bits);
  save_npy(folder / "x.npy", array);
  const Array<float> again = load_npy<float>(folder / "x.npy");
  EXPECT_EQ(std::memcmp(again.data.data(), &bits, sizeof bits), 0);
}

TEST(Npy, RefusesToSaveDataThatDoNotFitTheShape) {
  const TemporaryFolder folder;
  EXPECT_THROW(save_npy<float>(folder / "x.npy", {{2, 3}, {1, 2}}), cudamat::CUDAMatException);
  EXPECT_THROW(save_npy<float>(folder / "x.npy", {{-1}, {}}), cudamat::CUDAMatException);
  const std::vector<std::int64_t> many(33, 1);
  EXPECT_THROW(save_npy<float>(folder / "x.npy", {many, {1}}), cudamat::CUDAMatException);
  EXPECT_FALSE(std::filesystem::exists(folder / "x.npy"));
}

TEST(Shape, CountsElementsWithoutOverflow) {
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(npmat::element_count(Shape{}), 1);
  EXPECT_EQ(npmat::element_count(Shape{3, 4}), 12);
  EXPECT_EQ(npmat::element_count(Shape{5, 0, 7}), 0);
  EXPECT_EQ(npmat::element_count(Shape{std::int64_t{1} << 31, std::int64_t{1} << 31}),
            std::int64_t{1} << 62);
  EXPECT_THROW(npmat::element_count(Shape{std::int64_t{1} << 32, std::int64_t{1} << 31}),
               cudamat::CUDAMatException);
  EXPECT_THROW(npmat::element_count(Shape{0, std::int64_t{1} << 62, 4}), cudamat::CUDAMatException);
  EXPECT_EQ(npmat::shape_text(Shape{}), "()");
  EXPECT_EQ(npmat::shape_text(Shape{3}), "(3,)");
  EXPECT_EQ(npmat::shape_text(Shape{3, 4}), "(3, 4)");
}

TEST(SaveNpys, ReplacesNoFileWhereOneCannotBeWritten) {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", "old");
  const Array<double> array{{2}, {1, 2}};
  EXPECT_THROW(npmat::save_npys<double>(
                   {{folder / "a.npy", &array}, {folder / "no folder" / "b.npy", &array}}),
               cudamat::CUDAMatException);
  EXPECT_EQ(read_file(folder / "a.npy"), "old");
  npmat::save_npys<double>({{folder / "a.npy", &array}, {folder / "b.npy", &array}});
  EXPECT_EQ(load_npy<double>(folder / "a.npy").data, array.data);
  EXPECT_EQ(read_file(folder / "a.npy"), read_file(folder / "b.npy"));
}

TEST(SaveNpys, WritesIntegersAndBooleansInTheTypeAskedFor) {
  const TemporaryFolder folder;
  const Array<double> array{{3}, {-3, 0, 1e30}};
  const auto saved = [&](const std::string& dtype) {
    npmat::save_npys<double>({{folder / "a.npy", &array, dtype}});
    EXPECT_EQ(npmat::read_npy_header(folder / "a.npy").dtype, dtype);
    return load_npy<double>(folder / "a.npy").data;
  };
  EXPECT_THAT(saved("|b1"), ElementsAre(1, 0, 1));
  EXPECT_THAT(saved("|i1"), ElementsAre(-3, 0, 127));
  EXPECT_THAT(saved("<u2"), ElementsAre(0, 0, 65535));
  EXPECT_THAT(saved("<i4"), ElementsAre(-3, 0, 2147483647));
  EXPECT_THAT(saved("<i8"), ElementsAre(-3, 0, 0x1p63));
  EXPECT_THAT(saved("<u8"), ElementsAre(0, 0, 0x1p64));
}

/// As a process of user 65534, for whom permissions hold.
TEST(SaveNpy, CutsOffNoFileInAFolderThatTakesNoNewOne) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  write_file(folder / "a.npy", "old");
  fs::permissions(folder / "a.npy", fs::perms(0666));
  fs::permissions(folder.path(), fs::perms(0555));
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(2);
    try {
      save_npy<double>(folder / "a.npy", {{1}, {1}});
    } catch (const cudamat::CUDAMatException&) {
      _exit(0);
    }
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  fs::permissions(folder.path(), fs::perms(0755));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_file(folder / "a.npy"), "old");
}

}  // namespace
