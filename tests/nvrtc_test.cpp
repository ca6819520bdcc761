// What NVRTC makes of fused statements; it needs no GPU. Skipped, visibly, where it is missing.
#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <nvrtc.h>
#include <string>
#include <string_view>
#include <vector>

#include "cudamat/code/fused_source.hpp"
#include "cudamat/code/headers.hpp"
#include "cudamat/cuda/compiler.hpp"
#include "cudamat/detail/composite_bodies.hpp"
#include "cudamat/detail/fused_cut.hpp"
#include "cudamat/error.hpp"
#include "tests/fused_bodies.hpp"

namespace {

using cudamat::code::FusedLayout;
using cudamat::code::FusedReduces;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int kCapabilities[] = {75, 80, 90};

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    try {
      int major = 0, minor = 0;
      ASSERT_EQ(nvrtcVersion(&major, &minor), NVRTC_SUCCESS);
    } catch (const cudamat::LibraryError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

/// As compile() does, with one option more, for what `use` makes of the program.
template <class Use>
std::string compiled(const std::string& source, const std::string& architecture, const char* option,
                     const Use& use) {
  std::vector<const char*> names, texts;
  for (const auto& header : cudamat::code::headers()) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  nvrtcProgram program = nullptr;
  EXPECT_EQ(nvrtcCreateProgram(&program, source.c_str(), "fused.cu", int(names.size()),
                               texts.data(), names.data()),
            NVRTC_SUCCESS);
  const std::string target = "--gpu-architecture=" + architecture;
  const char* const options[] = {target.c_str(),    "--std=c++20",        "--fmad=false",
                                 "-default-device", "--disable-warnings", option};
  EXPECT_EQ(nvrtcCompileProgram(program, 6, options), NVRTC_SUCCESS);
  std::string text = use(program);
  EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
  return text;
}

/// What the assembler says of registers.
std::string log_of(const std::string& source, int capability) {
  const auto log = [](nvrtcProgram program) {
    std::size_t size = 0;
    EXPECT_EQ(nvrtcGetProgramLogSize(program, &size), NVRTC_SUCCESS);
    std::string text(size, '\0');
    EXPECT_EQ(nvrtcGetProgramLog(program, text.data()), NVRTC_SUCCESS);
    return text;
  };
  return compiled(source, "sm_" + std::to_string(capability), "--ptxas-options=-v", log);
}

/// The project itself has no use for this function, and does not pass it on.
std::string ptx_of(const std::string& source) {
  void* const library = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_NOLOAD);
  EXPECT_NE(library, nullptr);
  const auto get_size =
      reinterpret_cast<decltype(&nvrtcGetPTXSize)>(dlsym(library, "nvrtcGetPTXSize"));
  const auto get = reinterpret_cast<decltype(&nvrtcGetPTX)>(dlsym(library, "nvrtcGetPTX"));
  const auto ptx = [&](nvrtcProgram program) {
    std::size_t size = 0;
    EXPECT_EQ(get_size(program, &size), NVRTC_SUCCESS);
    std::string text(size, '\0');
    EXPECT_EQ(get(program, text.data()), NVRTC_SUCCESS);
    return text;
  };
  return compiled(source, "compute_90", "--device-int128", ptx);
}

int count(const std::string& text, std::string_view what) {
  int sum = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++sum;
  return sum;
}

std::string source_of(const cudamat::FusedBody& body, const FusedLayout& layout) {
  return fused_source(body, layout, fused_kernel(body, layout));
}

/// No two compilations are of the same layout, type and capability together, in turn.
class Turns {
 public:
  FusedLayout layout() {
    ++count_;
    return {.is_double = count_ % 2 == 0,
            .flat = count_ % 4 < 2,
            .packs = count_ % 8 < 5,
            .dense = count_ % 3 == 0,
            .reduces = FusedReduces{static_cast<std::uint8_t>(count_ % 3)},
            .plan_packs = count_ % 8 < 5};
  }
  [[nodiscard]] int capability() const { return kCapabilities[count_ % 3]; }

 private:
  int count_ = 0;
};

bool may_be_flat(const cudamat::FusedBody& body) {
  return std::ranges::none_of(body.inputs, [](cudamat::Spread spread) {
    return spread == cudamat::Spread::Row || spread == cudamat::Spread::Column;
  });
}

void expect_few_spills(const std::string& source, int capability, const std::string& name) {
  const std::string log = log_of(source, capability);
  // It puts aside where a rare path returns to; for want of registers it would be hundreds of
  // bytes.
  int spilled = -1;
  const std::size_t at = log.find(" bytes stack frame, ");
  ASSERT_NE(at, std::string::npos) << log;
  ASSERT_EQ(std::sscanf(&log[at], " bytes stack frame, %d bytes spill stores", &spilled), 1) << log;
  EXPECT_LE(spilled, 32) << name << " sm_" << capability << "\n" << source;
}

void expect_good_code(const fused_test::Sample& sample, FusedLayout layout, int capability) {
  layout.flat = layout.flat && may_be_flat(sample.body);
  expect_few_spills(source_of(sample.body, layout), capability, sample.name);
}

/// The parts of a softmax over columns, reduced like this.
std::vector<cudamat::code::FusedColumnPart> softmax_parts(FusedReduces how, bool is_double) {
  const auto cut =
      cudamat::detail::FusedCutter(cudamat::detail::softmax_body(0), {false}, false).cut();
  std::vector<cudamat::code::FusedColumnPart> parts;
  for (const auto& part : cut.parts) {
    const bool stores = part.body.targets[0].is_stored();
    const FusedLayout layout{.is_double = is_double,
                             .packs = true,
                             .dense = true,
                             .reduces = stores ? FusedReduces::No : how,
                             .plan_packs = !stores};
    parts.push_back({part.body, layout, fused_kernel(part.body, layout)});
  }
  return parts;
}

TEST_F(Nvrtc, CompilesOneKernelForAllPartsOfColumns) {
  for (const FusedReduces how : {FusedReduces::Lanes, FusedReduces::Tiles})
    for (const bool is_double : {false, true}) {
      const auto parts = softmax_parts(how, is_double);
      ASSERT_EQ(parts.size(), 3);
      expect_few_spills(fused_columns_source(parts), is_double ? 80 : 90, "softmax");
    }
}

TEST_F(Nvrtc, CompilesFixedBodiesForAllCapabilities) {
  for (const auto& sample : fused_test::fixed())
    for (const int capability : kCapabilities) {
      const bool wide = capability == 80;
      expect_good_code(sample, {.is_double = wide, .flat = true, .packs = true}, capability);
    }
}

TEST_F(Nvrtc, CompilesReductions) {
  Turns turns;
  int compiled = 0;
  for (const auto& sample : fused_test::fixed())
    for (const FusedReduces how : {FusedReduces::Lanes, FusedReduces::Tiles})
      for (const bool packs : {false, true}) {
        FusedLayout layout = turns.layout();
        layout.reduces = how;
        layout.plan_packs = packs;
        if (fused_kernel(sample.body, layout).reduces != how) continue;
        expect_good_code(sample, layout, turns.capability());
        ++compiled;
      }
  EXPECT_GE(compiled, 16);
}

/// What is cut where it uses its own reductions.
TEST_F(Nvrtc, CompilesThePartsOfBodiesThatUseTheirReductions) {
  Turns turns;
  int compiled = 0;
  for (const auto& sample : fused_test::using_reductions()) {
    const std::vector<bool> late(sample.body.targets.size(), false);
    const auto cut = cudamat::detail::FusedCutter(sample.body, late, false).cut();
    for (const auto& part : cut.parts)
      for (const FusedReduces how : {FusedReduces::No, FusedReduces::Lanes, FusedReduces::Tiles}) {
        FusedLayout layout = turns.layout();
        layout.reduces = how;
        if (fused_kernel(part.body, layout).reduces != how) continue;
        expect_good_code({sample.name, part.body}, layout, turns.capability());
        ++compiled;
      }
  }
  EXPECT_GE(compiled, 40);
}

TEST_F(Nvrtc, CompilesRandomBodies) {
  Turns turns;
  for (unsigned seed = 0; seed < 30; ++seed) {
    const FusedLayout layout = turns.layout();
    expect_good_code(fused_test::random(seed), layout, turns.capability());
  }
}

/// The largest that limits allow still have room in registers.
TEST_F(Nvrtc, LargestBodiesDoNotSpill) {
  fused_test::Maker many, long_one;
  std::vector<cudamat::FusedValue> values;
  for (int i = 0; i < 16; ++i) values.push_back(many.input(cudamat::Spread::Whole));
  for (int i = 0; i < 8; ++i)
    many.store(many.step(cudamat::Op::mult, {values[std::size_t(i)], values[std::size_t(15 - i)]}));
  ASSERT_TRUE(cudamat::code::fused_within_limits(many.body()));
  auto value = long_one.input(cudamat::Spread::Whole);
  while (true) {
    fused_test::Maker longer = long_one;
    const auto next = longer.step(cudamat::Op::tanh, {value});
    longer.store(next);
    if (!cudamat::code::fused_within_limits(longer.body())) break;
    value = long_one.step(cudamat::Op::tanh, {value});
  }
  long_one.store(value);
  fused_test::Maker sums;
  values.clear();
  for (int i = 0; i < 8; ++i) values.push_back(sums.input(cudamat::Spread::Whole));
  for (int i = 0; i < 4; ++i)
    sums.reduce(cudamat::Op::sum,
                sums.step(cudamat::Op::mult, {values[std::size_t(i)], values[std::size_t(7 - i)]}),
                0);
  for (const bool is_double : {false, true}) {
    for (const bool packs : {false, true}) {
      const FusedLayout reducing{
          .is_double = is_double, .reduces = FusedReduces::Lanes, .plan_packs = packs};
      EXPECT_EQ(fused_kernel(sums.body(), reducing).reduces, FusedReduces::Lanes);
      expect_good_code({"many sums", sums.body()}, reducing, 90);
    }
    const FusedLayout layout{.is_double = is_double, .flat = true, .packs = true, .dense = true};
    expect_good_code({"many operands", many.body()}, layout, 90);
    expect_good_code({"many steps", long_one.body()}, layout, 90);
  }
}

/// Of momentum's three inputs and two targets, two packs each at once; single elements are of what
/// begins or ends inside a pack. No product is contracted with a sum.
TEST_F(Nvrtc, PacksTravelInOneAccess) {
  const auto samples = fused_test::fixed();
  const auto sample = std::ranges::find(samples, "momentum", &fused_test::Sample::name);
  for (const bool flat : {false, true}) {
    const std::string f32 = ptx_of(source_of(sample->body, {.flat = flat, .packs = true}));
    EXPECT_EQ(count(f32, "ld.global.v4.f32"), 6);
    EXPECT_EQ(count(f32, "st.global.v4.f32"), 4);
    EXPECT_EQ(count(f32, "ld.global.f32"), 3);
    EXPECT_EQ(count(f32, "st.global.f32"), 2);
    EXPECT_EQ(count(f32, "fma"), 0);
    const std::string f64 =
        ptx_of(source_of(sample->body, {.is_double = true, .flat = flat, .packs = true}));
    EXPECT_EQ(count(f64, "ld.global.v2.f64"), 6);
    EXPECT_EQ(count(f64, "st.global.v2.f64"), 4);
    EXPECT_EQ(count(f64, "fma"), 0);
  }
}

/// Of all fixed bodies where a folder is to keep it, for a GPU elsewhere (tools/gpu-check).
TEST_F(Nvrtc, CodeIsACubin) {
  auto samples = fused_test::fixed();
  const bool keep = std::getenv("CUDAMAT_CACHE_DIR") != nullptr;
  if (!keep) samples.resize(1);
  for (const auto& sample : samples)
    for (const int capability : keep ? std::vector{75, 80, 90} : std::vector{90})
      for (const bool is_double : keep ? std::vector{false, true} : std::vector{false})
        for (const bool packs : {false, true}) {
          const auto compiled = cudamat::cuda::compile(
              source_of(sample.body, {.is_double = is_double, .packs = packs}), capability);
          EXPECT_EQ(compiled.failure, "") << sample.name;
          EXPECT_THAT(compiled.code, StartsWith("\x7f"
                                                "ELF"));
        }
}

TEST_F(Nvrtc, FailureShowsTheLog) {
  const auto compiled = cudamat::cuda::compile("__global__ void f() { unknown(); }\n", 90);
  EXPECT_EQ(compiled.code, "");
  EXPECT_THAT(compiled.failure, StartsWith("[nvrtc] NVRTC_ERROR_COMPILATION\nfused.cu(1)"));
  EXPECT_THAT(compiled.failure, HasSubstr("\"unknown\" is undefined"));
}

// ---- users' sources ----

class KernelSources : public Nvrtc {};

TEST_F(KernelSources, AreCompiledAndNamed) {
  const std::string source = R"(#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <cuda_runtime.h>
__constant__ float weights[2] = {1, 2};
namespace mine {
template <class T> __global__ void generic(T* x) { x[threadIdx.x] = weights[0]; }
template __global__ void generic<double>(double*);
}
__global__ void scale(float* y, const float* __restrict__ x, unsigned long long n) {
  extern __shared__ float s[];
  __shared__ float4 tile[16][WIDTH];
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(n > 0);
  s[threadIdx.x] = i < n ? expf(x[i]) : 0;
  tile[threadIdx.x % 16][0] = make_float4(1, 2, 3, 4);
  __syncthreads();
  float value = __shfl_down_sync(0xffffffff, s[threadIdx.x], 1) + tile[0][0].x;
  if (i < n) atomicAdd(&y[i], fmaxf(value, rsqrtf(2.0f)));
  if (i == 0) printf("%g", value);
}
)";
  const std::string file = "kernel.cu";
  const std::vector<std::string> names{"scale", "mine::generic<double>"}, flags{"-DWIDTH=17"};
  for (const int capability : kCapabilities) {
    const auto made = cudamat::cuda::compile({source, file, names, flags}, capability);
    ASSERT_EQ(made.compiled.failure, "") << capability;
    EXPECT_THAT(made.compiled.code, StartsWith("\x7f"
                                               "ELF"));
    ASSERT_EQ(made.names.size(), 2u);
    EXPECT_EQ(made.names[0], "_Z5scalePfPKfy");
    EXPECT_THAT(made.names[1], HasSubstr("generic"));
  }
}

TEST_F(KernelSources, ThatAreWrongAreShown) {
  const std::string source = "__global__ void f(float* x) {\n  x[0] = missing;\n}\n",
                    file = "mine.cu";
  const std::vector<std::string> names{"f"}, flags;
  const auto made = cudamat::cuda::compile({source, file, names, flags}, 90);
  EXPECT_THAT(made.compiled.failure,
              testing::AllOf(HasSubstr("mine.cu(2): error"), HasSubstr("missing")));
}

}  // namespace
