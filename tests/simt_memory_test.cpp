// The execution on the CPU finds accesses that no memory allows, and missing synchronisation.
#include "tests/simt_fixture.hpp"
#include "tests/simt_test_kernels.hpp"

namespace simt_test {
namespace {

using simt::Streams;

using SimtMemory = Simt;
using SimtMemoryDeathTest = Simt;
using SimtStreams = Simt;
using SimtStreamsDeathTest = Simt;

// ---- out of bounds ----

TEST_F(SimtMemoryDeathTest, FindsOffByOneWrite) {
  const Device<float> out(100);
  EXPECT_DEATH((void)run("past", 1, 128, 0, nullptr, write_one_past, out, 100),
               "kernel past, block \\(0,0,0\\), thread \\(100,0,0\\), order forward: writes byte "
               "400 of an allocation of 400 bytes, 0 bytes past its end");
}

TEST_F(SimtMemoryDeathTest, FindsOffByOneWriteWithinAPage) {
  const Device<float> out(101);  // not a multiple of 16 bytes
  EXPECT_DEATH((void)run("past", 1, 128, 0, nullptr, write_one_past, out, 101),
               "past: byte 404 of an allocation of 404 bytes, 0 bytes past its end was written|"
               "kernel past.*thread \\(101,0,0\\).*AddressSanitizer");
}

TEST_F(SimtMemoryDeathTest, FindsWriteBeforeTheBeginning) {
  const Device<float> out(100);
  EXPECT_DEATH((void)run("before", 1, 128, 0, nullptr, write_one_before, out, 100),
               "before: 4 bytes before an allocation of 400 bytes was written|"
               "kernel before.*thread \\(0,0,0\\).*AddressSanitizer");
  const Device<float> pages(2048);
  EXPECT_DEATH((void)run("before", 1, 128, 0, nullptr, write_one_before, pages, 100),
               "writes 4 bytes before an allocation of 8192 bytes");
}

TEST_F(SimtMemoryDeathTest, FindsOffByOneRead) {
  const Device<float> a(100);
  const Device<float> out(100);
  EXPECT_DEATH((void)run("read", 1, 128, 0, nullptr, read_one_past, a, out, 100),
               "kernel read.*thread \\(99,0,0\\).*reads byte 400 of an allocation of 400 bytes");
}

#if !defined(__SANITIZE_ADDRESS__)  // which finds it before
TEST_F(SimtMemory, OffByOneReadWithinAPageIsNaN) {
  const Device<float> a(counting(101));
  const Device<float> out(101);
  ASSERT_EQ(run("read", 1, 128, 0, nullptr, read_one_past, a, out, 101), cudaSuccess);
  EXPECT_EQ(out.values()[99], 101);
  EXPECT_TRUE(std::isnan(out.values()[100]));
}
#endif

TEST_F(SimtMemoryDeathTest, FindsSharedOutOfBounds) {
  const Device<float> out(64);
  const auto shared_death = [&](void (*kernel)(float*), unsigned threads, const char* text) {
    EXPECT_DEATH((void)run("shared", 1, threads, threads * sizeof(float), nullptr, kernel, out),
                 text);
  };
  shared_death(shared_one_past, 64,
               "kernel shared.*thread \\(63,0,0\\).*writes byte 256 of shared memory of 256 bytes");
  shared_death(shared_one_past, 62,
               "byte 248 of shared memory of 248 bytes, 0 bytes past its end was written|"
               "thread \\(61,0,0\\).*AddressSanitizer");
  shared_death(shared_one_before, 64,
               "4 bytes before shared memory of 256 bytes was written|"
               "thread \\(0,0,0\\).*AddressSanitizer");
}

TEST_F(SimtMemoryDeathTest, FindsSharedMemoryThatTheLaunchLacks) {
  const Device<float> out(64);
  EXPECT_DEATH((void)run("shared", 1, 64, 0, nullptr, shared_one_past, out),
               "the launch gives the block no shared memory");
}

// ---- uninitialised ----

TEST_F(SimtMemory, FindsUninitialisedShared) {
  const Device<float> out(64);
  ASSERT_EQ(run("shared", 1, 64, 256, nullptr, read_uninitialised_shared, out), cudaSuccess);
  EXPECT_EQ(out.values()[0], 1);
  EXPECT_TRUE(std::isnan(out.values()[1]));
}

TEST_F(SimtMemory, SharedMemoryIsNewForEveryBlock) {
  const Device<float> out(128);
  ASSERT_EQ(run("shared", 2, 64, 256, nullptr, shared_of_the_block_before, out), cudaSuccess);
  EXPECT_EQ(out.values()[63], 1);
  EXPECT_TRUE(std::isnan(out.values()[64]));
}

TEST_F(SimtMemory, FindsUninitialisedMemory) {
  const Device<float> a(64);
  ASSERT_EQ(run("double", 1, 64, 0, nullptr, double_values, a, 64), cudaSuccess);
  for (const float x : a.values()) EXPECT_TRUE(std::isnan(x));
}

TEST_F(SimtMemory, MemoryThatIsUsedAgainIsUninitialised) {
  for (int i = 0; i < 3; ++i) {
    const Device<double> a(1);
    EXPECT_TRUE(std::isnan(a.values()[0]));
    ASSERT_EQ(cudaMemsetAsync(a, 0, sizeof(double)), cudaSuccess);
    EXPECT_EQ(a.values()[0], 0);
  }
}

// ---- freed, and not the device's ----

TEST_F(SimtMemoryDeathTest, FindsUseAfterFree) {
  const Device<float> out(64);
  float* freed = nullptr;
  ASSERT_EQ(cudaMalloc(&freed, 256), cudaSuccess);
  ASSERT_EQ(cudaFree(freed), cudaSuccess);
  EXPECT_DEATH((void)run("freed", 1, 64, 0, nullptr, double_values, freed, 64),
               "freed: the kernel is given a pointer to an allocation of 256 bytes, which was fr");
  EXPECT_DEATH((void)run("freed", 1, 64, 0, nullptr, copy_operands, Operands{freed, out}, 64),
               "kernel freed.*thread \\(0,0,0\\).*reads byte 0 of an allocation of 256 bytes, "
               "which was freed");
  EXPECT_DEATH((void)cudaMemsetAsync(freed + 1, 0, 4), "writes byte 4 of .* which was freed");
}

TEST_F(SimtMemoryDeathTest, FindsDoubleFree) {
  float* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 256), cudaSuccess);
  ASSERT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_DEATH((void)cudaFree(memory), "cudaFree: double free of an allocation of 256 bytes");
  EXPECT_DEATH((void)cudaFreeAsync(memory, nullptr), "cudaFreeAsync: double free");
}

TEST_F(SimtMemoryDeathTest, FindsPointerOfTheHost) {
  std::vector<float> host(64);
  EXPECT_DEATH((void)run("host", 1, 64, 0, nullptr, double_values, host.data(), 64),
               "host: the kernel is given a pointer to memory of the host");
}

TEST_F(SimtMemoryDeathTest, FindsNullPointer) {
  EXPECT_DEATH((void)run("null", 1, 64, 0, nullptr, write_null, Operands{nullptr, nullptr}),
               "kernel null.*thread \\(0,0,0\\).*writes address .* which is not memory of the dev|"
               "runtime error: store to null pointer");  // UndefinedBehaviorSanitizer's
}

TEST_F(SimtMemoryDeathTest, FindsHostAccess) {
  simt::set_strict(true);
  const Device<float> a(counting(64));
  volatile float* const outside = a;
  EXPECT_DEATH((void)*(outside + 3),
               "code of the host: reads byte 12 of an allocation of 256 bytes, "
               "which is the device's, while nothing runs on the device");
  EXPECT_DEATH(outside[3] = 1, "code of the host: writes byte 12");
  const Device<float> out(64);
  ASSERT_EQ(run("add_one", 1, 64, 0, nullptr, add_one, a, out, 64), cudaSuccess);
  EXPECT_EQ(out.values()[63], 65);
}

TEST_F(SimtMemoryDeathTest, FindsCopiesPastTheEnd) {
  const Device<float> a(100);
  std::vector<float> host(200);
  EXPECT_DEATH(
      (void)cudaMemcpy(host.data(), a, 404, cudaMemcpyDeviceToHost),
      "cudaMemcpy: reads 404 bytes from byte 0 of an allocation of 400 bytes: 4 bytes past");
  EXPECT_DEATH((void)cudaMemcpyAsync(a + 50, host.data(), 204, cudaMemcpyHostToDevice),
               "cudaMemcpyAsync: writes 204 bytes from byte 200 .* 4 bytes past its end");
  EXPECT_DEATH((void)cudaMemsetAsync(a, 0, 401), "cudaMemsetAsync: writes 401 bytes");
  EXPECT_DEATH((void)cudaMemcpy2DAsync(a, 40, host.data(), 36, 36, 11, cudaMemcpyHostToDevice),
               "cudaMemcpy2DAsync: writes 436 bytes from byte 0 .* 36 bytes past its end");
}

TEST_F(SimtMemoryDeathTest, FindsDamageByTheHostToPinnedMemory) {
  char* memory = nullptr;
  ASSERT_EQ(cudaMallocHost(&memory, 100), cudaSuccess);
  volatile char* const pinned = memory;
#if !defined(__SANITIZE_ADDRESS__)  // which finds it at once
  EXPECT_DEATH((pinned[100] = 1, (void)cudaDeviceSynchronize()),
               "byte 100 of pinned memory of 100 bytes, 0 bytes past its end was written");
#endif
  EXPECT_DEATH(pinned[112] = 1, "writes byte 112 of pinned memory of 100 bytes, 12 bytes past its");
  ASSERT_EQ(cudaFreeHost(memory), cudaSuccess);
}

// ---- streams ----

class Pinned {
 public:
  explicit Pinned(std::size_t n) {
    EXPECT_EQ(cudaMallocHost(&data, n * sizeof(float)), cudaSuccess);
  }
  ~Pinned() { (void)cudaFreeHost(data); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  float* data = nullptr;
};

class NewStream {
 public:
  NewStream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess); }
  ~NewStream() { (void)cudaStreamDestroy(stream); }
  NewStream(const NewStream&) = delete;
  NewStream& operator=(const NewStream&) = delete;
  cudaStream_t stream = nullptr;
};

TEST_F(SimtStreams, FindsMissingSynchronisation) {
  for (const Streams mode : {Streams::kEager, Streams::kLazy}) {
    simt::set_streams(mode);
    const NewStream s;
    const Device<float> a(std::vector<float>{1, 2, 3, 4});
    const Pinned host(4);
    std::fill_n(host.data, 4, 0.0F);
    ASSERT_EQ(cudaMemcpyAsync(host.data, a, 16, cudaMemcpyDeviceToHost, s.stream), cudaSuccess);
    EXPECT_EQ(host.data[3], mode == Streams::kEager ? 4 : 0);
    ASSERT_EQ(cudaStreamSynchronize(s.stream), cudaSuccess);
    EXPECT_EQ(host.data[3], 4);
  }
}

TEST_F(SimtStreams, FindsHostBufferThatIsReusedTooEarly) {
  for (const Streams mode : {Streams::kEager, Streams::kLazy}) {
    simt::set_streams(mode);
    const NewStream s;
    const Device<float> a(4);
    const Pinned host(4);
    std::fill_n(host.data, 4, 1.0F);
    ASSERT_EQ(cudaMemcpyAsync(a, host.data, 16, cudaMemcpyHostToDevice, s.stream), cudaSuccess);
    std::fill_n(host.data, 4, 2.0F);
    ASSERT_EQ(cudaStreamSynchronize(s.stream), cudaSuccess);
    EXPECT_EQ(a.values()[0], mode == Streams::kEager ? 1 : 2);
  }
}

TEST_F(SimtStreams, PageableMemoryIsReadAtOnceAndWrittenBeforeTheReturn) {
  simt::set_streams(Streams::kLazy);
  const NewStream s;
  const Device<float> a(4);
  std::vector<float> host{1, 2, 3, 4};
  ASSERT_EQ(cudaMemcpyAsync(a, host.data(), 16, cudaMemcpyHostToDevice, s.stream), cudaSuccess);
  host.assign(4, 0);
  ASSERT_EQ(cudaMemcpyAsync(host.data(), a, 16, cudaMemcpyDeviceToHost, s.stream), cudaSuccess);
  EXPECT_EQ(host, (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(SimtStreamsDeathTest, FindsStreamsThatDoNotWaitForEachOther) {
  simt::set_streams(Streams::kLazy);
  const NewStream first;
  const NewStream second;
  const auto doubled = [&](bool wait) {
    const Device<float> a(counting(64));
    const Device<float> out(64);
    EXPECT_EQ(run("first", 1, 64, 0, first.stream, double_values, a, 64), cudaSuccess);
    cudaEvent_t event = nullptr;
    EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(event, first.stream), cudaSuccess);
    if (wait) {
      EXPECT_EQ(cudaStreamWaitEvent(second.stream, event), cudaSuccess);
    }
    EXPECT_EQ(run("second", 1, 64, 0, second.stream, add_one, a, out, 64), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(second.stream), cudaSuccess);
    return out.values()[63];
  };
  EXPECT_EQ(doubled(true), 129);
  EXPECT_DEATH(doubled(false), "second: reads an allocation of 256 bytes .* which first wrote");
}

TEST_F(SimtStreamsDeathTest, FindsFreeingInAnotherStreamThanTheUse) {
  simt::set_streams(Streams::kLazy);
  const NewStream first;
  const NewStream second;
  float* memory = nullptr;
  ASSERT_EQ(cudaMallocAsync(&memory, 256, first.stream), cudaSuccess);
  ASSERT_EQ(run("late", 1, 64, 0, first.stream, double_values, memory, 64), cudaSuccess);
  EXPECT_DEATH(
      (void)cudaFreeAsync(memory, second.stream),
      "cudaFreeAsync: frees an allocation of 256 bytes on stream [0-9]+, which late wrote");
  ASSERT_EQ(cudaStreamSynchronize(first.stream), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(memory, second.stream), cudaSuccess);
}

TEST_F(SimtStreams, WorkIsDoneInOrderByWhatWaitsForIt) {
  simt::set_streams(Streams::kLazy);
  const NewStream s;
  const std::int64_t before = simt::launches();
  const Device<float> a(counting(64));
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDefault), cudaSuccess);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(run("double", 1, 64, 0, s.stream, double_values, a, 64), cudaSuccess);
    if (i == 1) {
      ASSERT_EQ(cudaEventRecord(event, s.stream), cudaSuccess);
    }
  }
  EXPECT_EQ(simt::launches(), before);
  ASSERT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(simt::launches(), before + 2);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(simt::launches(), before + 3);
  EXPECT_EQ(a.values()[0], 8);
  ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
}

// ---- settings ----

TEST(SimtEnvironmentDeathTest, StreamsAndStrictnessAreReadFromTheEnvironment) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto read_device_memory = [] {
    float* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, 64), cudaSuccess);
    volatile float* const outside = data;
    (void)*outside;
    (void)cudaFree(data);
  };
  read_device_memory();                         // not strict
  ASSERT_EQ(setenv("SIMT_STRICT", "1", 1), 0);  // for the process of the death test
  EXPECT_DEATH(read_device_memory(), "code of the host: reads byte 0 of an allocation of 64 bytes");
  ASSERT_EQ(setenv("SIMT_STRICT", "often", 1), 0);
  EXPECT_DEATH(read_device_memory(), "SIMT_STRICT=often: it takes 0 or 1");
  ASSERT_EQ(unsetenv("SIMT_STRICT"), 0);
  ASSERT_EQ(setenv("SIMT_STREAMS", "sideways", 1), 0);
  EXPECT_DEATH((void)cudaDeviceSynchronize(), "SIMT_STREAMS=sideways: it takes eager or lazy");
  ASSERT_EQ(unsetenv("SIMT_STREAMS"), 0);
}

}  // namespace
}  // namespace simt_test
