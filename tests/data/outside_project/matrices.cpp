// Cudamat on the CPU in every precision, against numbers worked out by hand.
#include <cstdio>

#include "npmat/npmat.hpp"

template <class T>
bool right() {
  namespace cm = npmat;
  using Host = cm::HostMatrix<T>;
  const cm::CUDAMatrix<T> a(Host{{1, 2}, {3, 4}, {5, 6}});
  const cm::CUDAMatrix<T> bias(Host{{1}, {-2}});
  auto products = cm::dot(a.T(), a);  // 1 + 9 + 25, 2 + 12 + 30; ..., 4 + 16 + 36
  products.add_col_vec(bias);
  auto sums = products.sum(0);
  return products.asarray() == Host{{36, 45}, {42, 54}} && sums.asarray() == Host{{78, 99}};
}

int main() {
  const bool all = right<float>() && right<double>() && right<long double>();
  std::puts(all ? "as by hand" : "wrong numbers");
  return all ? 0 : 1;
}
