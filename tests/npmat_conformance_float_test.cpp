// The conformance suite over the CPU engine, float; and the names that only the namespace has.
#include "npmat/npmat.hpp"
#include "tests/conformance/suite.hpp"

CONFORMANCE_SUITE(npmat_float, npmat::Engine<float>);

TEST(NpmatNamespace, HasTheOriginalsModuleFunctions) {
  namespace cm = npmat;
  cm::cuda_set_device(0);
  cm::cublas_init();
  cm::init();
  cm::init(1 << 20);
  cm::CUDAMatrix<float>::init_random(1);
  EXPECT_EQ(cm::empty<float>({2, 3}).shape(), (cm::Shape{2, 3}));
  EXPECT_EQ(cm::zeros<double>({2, 3}).total_sum(), 0);
  EXPECT_EQ(cm::randn<long double>(2, 3).shape(), (cm::Shape{2, 3}));
  EXPECT_STREQ(npmat::Engine<float>::name(), "npmat float32");
  cm::cuda_sync_threads();
  cm::shutdown();
  cm::cublas_shutdown();
}

// The example at the top of cudamat/matrix.hpp: one hidden layer's sample.
TEST(NpmatNamespace, RunsTheExampleOfTheHeader) {
  namespace cm = npmat;
  using CUDAMatrix = cm::CUDAMatrix<float>;
  CUDAMatrix::init_random(42);
  CUDAMatrix w_vh(cm::HostMatrix<float>{{0, 100}, {0, -100}, {0, 0}});
  CUDAMatrix v(cm::HostMatrix<float>{{1, 0}, {0, 1}, {1, 1}});
  CUDAMatrix w_h(cm::HostMatrix<float>{{50}, {0}});
  CUDAMatrix h = cm::empty<float>({2, 2}), r = cm::empty<float>({2, 2});
  cm::dot(w_vh.T(), v, h);
  h.add_col_vec(w_h);
  h.apply_sigmoid();
  r.fill_with_rand();
  r.less_than(h, h);
  conformance::expect_same(h.asarray(), cm::HostMatrix<float>{{1, 1}, {1, 0}});
}
