// The layers learn the same: the report's machine and the network of two layers, written by hand,
// with garrays, and as the rewriter's lists, from the same weights and random numbers; NumPy, which
// runs the programs in long double, is the judge.
#include "bench/layers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "npmat/npy.hpp"
#include "npmat/random.hpp"
#include "rewriter/run/run.hpp"
#include "tests/python.hpp"
#include "tools/network_gnumpy.hpp"
#include "tools/rbm_gnumpy.hpp"

namespace {

namespace gpu = gnumpy;
using cudamat::Index;
using Matrix = npmat::CUDAMatrix<double>;
using Array = npmat::Array<double>;
/// Arrays by name: what a model starts from, or has learnt.
using Arrays = std::map<std::string, Array>;

constexpr Index kBatch = 8;
constexpr Index kBatches = 6;
constexpr Index kCases = kBatch * kBatches;
constexpr Index kVisible = 12, kHidden = 7, kClasses = 3;

// Run by NumPy alone: what gnumpy has beside it is written out here, and everything is computed in
// long double, so that the result is what exact arithmetic gives in all places that double has.
constexpr const char* kJudge = R"(import sys, types
import numpy as np

folder, file, function, batch_size, *names = sys.argv[1:]
names, results = names[:names.index("--")], names[names.index("--") + 1:]

class Array(np.ndarray):
    def logistic(self):
        return 1 / (1 + np.exp(-self))

    def euclid_norm(self):
        return np.sqrt((self * self).sum())

gnumpy = types.ModuleType("gnumpy")
gnumpy.dot = np.dot
gnumpy.logistic = Array.logistic
gnumpy.zeros = lambda shape: np.zeros(shape, np.longdouble).view(Array)
gnumpy.ones = lambda shape: np.ones(shape, np.longdouble).view(Array)
sys.modules["gnumpy"] = gnumpy

program = {}
with open(file, encoding="utf-8") as text:
    exec(compile(text.read(), file, "exec"), program)
inputs = {name: np.load(f"{folder}/{name}.npy").astype(np.longdouble).view(Array) for name in names}
learnt = program[function](**inputs, num_epochs=1, batch_size=int(batch_size))
for name, array in zip(results, learnt, strict=True):
    np.save(f"{folder}/{name}.npy", np.asarray(array))
)";

/// A program of tools/examples, and what it works on.
struct Model {
  bench::Training training;
  Arrays start;
  std::vector<std::string> learnt;  ///< the names of what it returns
};

Array drawn(npmat::Generator& generator, std::vector<Index> shape, bool normal) {
  Array array{shape, std::vector<double>(static_cast<std::size_t>(npmat::element_count(shape)))};
  if (normal)
    generator.normal(array.data.data(), array.size());
  else
    generator.uniform(array.data.data(), array.size());
  return array;
}

Model model_of(const std::string& file, const std::string& function, Arrays start,
               std::vector<std::string> learnt) {
  const std::string path = fmt::format("{}/tools/examples/{}", CUDAMAT_SOURCE_DIR, file);
  Model model{{path, tests::read_file(path), function, {}, {}}, std::move(start), learnt};
  for (const auto& [name, array] : model.start) model.training.shapes[name] = array.shape;
  model.training.numbers = {{"num_epochs", 1}, {"batch_size", kBatch}};
  return model;
}

Model rbm_model() {
  npmat::Generator random(7);
  return model_of("rbm.py", "rbm",
                  {{"dat", drawn(random, {kCases, kVisible}, false)},
                   {"draws", drawn(random, {kCases, kHidden}, false)},
                   {"w_vh", drawn(random, {kVisible, kHidden}, true)}},
                  {"w_vh", "w_v", "w_h"});
}

Model network_model() {
  npmat::Generator random(8);
  Array labels = drawn(random, {kCases, kClasses}, false);
  for (double& label : labels.data) label = label < 0.3 ? 1 : 0;
  return model_of("network.py", "train",
                  {{"dat", drawn(random, {kCases, kVisible}, false)},
                   {"labels", labels},
                   {"w_1", drawn(random, {kVisible, kHidden}, true)},
                   {"w_2", drawn(random, {kHidden, kClasses}, true)}},
                  {"w_1", "b_1", "w_2", "b_2"});
}

// ---- the four ways ----

Matrix matrix(const Array& a) {
  return Matrix(
      cudamat::reformat<double>(std::span<const double>(a.data), {a.shape[0], a.shape[1]}));
}

Matrix columns(const Array& a) {
  return matrix(a).transpose();
}

/// As NumPy has it; of a column vector one dimension.
Array array(Matrix& m) {
  Matrix turned = m.transpose();
  const auto values = turned.asarray().values();
  std::vector<Index> shape{m.rows()};
  if (m.cols() != 1) shape.push_back(m.cols());
  return {shape, {values.begin(), values.end()}};
}

Arrays rbm_by_hand(const Model& model) {
  rbm::Settings settings;
  settings.batch_size = kBatch;
  rbm::Rbm<Matrix> machine(matrix(model.start.at("w_vh")), settings);
  const Matrix data = columns(model.start.at("dat"));
  const Matrix draws = columns(model.start.at("draws"));
  for (Index batch = 0; batch < kBatches; ++batch) machine.step(data, batch, &draws);
  return {{"w_vh", array(machine.w_vh)}, {"w_v", array(machine.w_v)}, {"w_h", array(machine.w_h)}};
}

Arrays rbm_with_garrays(const Model& model) {
  rbm::Settings settings;
  settings.batch_size = kBatch;
  rbm::GnumpyRbm machine(gpu::garray(model.start.at("w_vh")), settings);
  const gpu::garray dat(model.start.at("dat"));
  const gpu::garray draws(model.start.at("draws"));
  for (Index batch = 0; batch < kBatches; ++batch) machine.step(dat, batch, &draws);
  return {{"w_vh", machine.w_vh.as_numpy_array()},
          {"w_v", machine.w_v.as_numpy_array()},
          {"w_h", machine.w_h.as_numpy_array()}};
}

Arrays network_by_hand(const Model& model) {
  network::Settings settings;
  settings.batch_size = kBatch;
  network::Network<Matrix> net(matrix(model.start.at("w_1")), matrix(model.start.at("w_2")),
                               settings);
  const Matrix data = columns(model.start.at("dat"));
  const Matrix labels = columns(model.start.at("labels"));
  for (Index batch = 0; batch < kBatches; ++batch) net.step(data, labels, batch);
  return {{"w_1", array(net.w_1)},
          {"b_1", array(net.b_1)},
          {"w_2", array(net.w_2)},
          {"b_2", array(net.b_2)}};
}

Arrays network_with_garrays(const Model& model) {
  network::Settings settings;
  settings.batch_size = kBatch;
  network::GnumpyNetwork net(gpu::garray(model.start.at("w_1")), gpu::garray(model.start.at("w_2")),
                             settings);
  const gpu::garray dat(model.start.at("dat"));
  const gpu::garray labels(model.start.at("labels"));
  for (Index batch = 0; batch < kBatches; ++batch) net.step(dat, labels, batch);
  return {{"w_1", net.w_1.as_numpy_array()},
          {"b_1", net.b_1.as_numpy_array()},
          {"w_2", net.w_2.as_numpy_array()},
          {"b_2", net.b_2.as_numpy_array()}};
}

Arrays rewritten(const Model& model, const std::string& passes) {
  rewriter::RunOptions options;
  options.print = [](const std::string&) {};
  return rewriter::run<Matrix>(bench::list_of(model.training, passes), model.start, options)
      .outputs;
}

// ---- the judge ----

std::map<std::string, npmat::Array<long double>> judged(const Model& model) {
  const tests::TemporaryFolder folder;
  std::vector<std::string> arguments{folder.path().string(), model.training.file,
                                     model.training.function, std::to_string(kBatch)};
  for (const auto& [name, array] : model.start) {
    npmat::save_npy(folder / (name + ".npy"), array);
    arguments.push_back(name);
  }
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), model.learnt.begin(), model.learnt.end());
  tests::run_python(kJudge, arguments);
  std::map<std::string, npmat::Array<long double>> result;
  for (const std::string& name : model.learnt)
    result[name] = npmat::load_npy<long double>(folder / (name + ".npy"));
  return result;
}

/// In units of half the last place of 1. An update has two sums over the cases, of products of
/// numbers of at most 1: at most kBatch large, and each term behind a chain of sums over the units
/// of a layer, `depth` roundings in all. The momentum, less than 1, carries the errors of k steps
/// into the update of step k, of which the weight takes epsilon / kBatch; and it is rounded itself,
/// at its own size of at most `largest`. What errors in the weights do to later steps is less by
/// orders.
long double tolerance(long double largest) {
  constexpr auto kHalfUnit = std::numeric_limits<double>::epsilon() / 2;
  constexpr double kEpsilon = 0.1;
  constexpr Index depth = kBatch + 2 * kVisible + kHidden + 16;
  constexpr Index carried = kBatches * (kBatches + 1) / 2;
  return kHalfUnit * (2 * kEpsilon * carried * depth + kBatches * largest);
}

void expect_near_judge(const Model& model, const std::map<std::string, Arrays>& ways) {
  const auto exact = judged(model);
  for (const auto& [way, learnt] : ways)
    for (const auto& [name, expected] : exact) {
      const Array& array = learnt.at(name);
      ASSERT_EQ(array.shape, expected.shape) << way << ' ' << name;
      long double largest = 1;
      for (const long double x : expected.data) largest = std::max(largest, std::abs(x));
      for (std::size_t i = 0; i < array.data.size(); ++i)
        EXPECT_NEAR(array.data[i], expected.data[i], tolerance(largest))
            << way << ' ' << name << '[' << i << ']';
    }
}

void expect_same_bits(const Arrays& a, const Arrays& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, array] : a) EXPECT_EQ(array.data, b.at(name).data) << name;
}

/// That learning changes the weights by more than what is tolerated.
void expect_learnt(const Model& model, const Arrays& learnt) {
  for (const auto& [name, start] : model.start) {
    const auto end = learnt.find(name);
    if (end == learnt.end()) continue;
    double change = 0;
    for (std::size_t i = 0; i < start.data.size(); ++i)
      change = std::max(change, std::abs(end->second.data[i] - start.data[i]));
    EXPECT_GT(change, 1e-3) << name;
  }
}

class Layers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("GNUMPY_USE_GPU", "no", 1);
    ::setenv("GNUMPY_CPU_PRECISION", "64", 1);
  }

  /// All ways of a model by their names.
  static std::map<std::string, Arrays> ways(const Model& model, Arrays (*by_hand)(const Model&),
                                            Arrays (*with_garrays)(const Model&)) {
    std::map<std::string, Arrays> result{{"hand", by_hand(model)}};
    for (const std::string passes : {"none", "default", "all"}) {
      gpu::passes(passes);
      result["garrays, " + passes] = with_garrays(model);
      result["list, " + passes] = rewritten(model, passes);
    }
    return result;
  }

  static void check(const Model& model, const std::map<std::string, Arrays>& ways) {
    expect_learnt(model, ways.at("hand"));
    expect_same_bits(ways.at("garrays, none"), ways.at("garrays, default"));
    expect_same_bits(ways.at("list, none"), ways.at("list, default"));
    CUDAMAT_NEEDS_NUMPY();
    expect_near_judge(model, ways);
  }
};

TEST_F(Layers, LearnTheSameMachine) {
  const Model model = rbm_model();
  check(model, ways(model, rbm_by_hand, rbm_with_garrays));
}

TEST_F(Layers, LearnTheSameNetwork) {
  const Model model = network_model();
  check(model, ways(model, network_by_hand, network_with_garrays));
}

/// Without numbers from outside, the hand's matrix of a case a column and the array of a case a row
/// take the same ones from the stream.
TEST_F(Layers, DrawTheSameNumbers) {
  const Model model = rbm_model();
  rbm::Settings settings;
  settings.batch_size = kBatch;
  rbm::Rbm<Matrix> hand(matrix(model.start.at("w_vh")), settings);
  rbm::GnumpyRbm garrays(gpu::garray(model.start.at("w_vh")), settings);
  Matrix::init_random(3);
  hand.step(columns(model.start.at("dat")), 0);
  gpu::seed_rand(3);
  garrays.step(gpu::garray(model.start.at("dat")), 0);
  const Array learnt = garrays.w_vh.as_numpy_array();
  const Array expected = array(hand.w_vh);
  for (std::size_t i = 0; i < learnt.data.size(); ++i)
    EXPECT_NEAR(learnt.data[i], expected.data[i], tolerance(5)) << i;
}

/// Of the network's list, which is what network.hpp has by hand, the two views of the batch's rows
/// included, but for the error, which stays on the device: four statements, one of them with two
/// launches.
TEST(LayersCost, IsThatOfTheLastLoop) {
  const bench::Cost cost = bench::cost_of_step(bench::list_of(network_model().training, "all"));
  constexpr int kByHand = 17;  // calls, without the error
  EXPECT_EQ(cost.statements, kByHand + 2 + 4);
  EXPECT_EQ(cost.launches, kByHand + 5);
  EXPECT_EQ(cost.allocations, 0);
}

}  // namespace
