#include "gnumpy/engine_npmat.hpp"

#include <unistd.h>

#include "gnumpy/matrix_engine.hpp"
#include "npmat/exchange.hpp"
#include "npmat/npmat.hpp"

namespace gnumpy::detail {

namespace {

template <class T>
class Npmat final : public MatrixEngine<npmat::CUDAMatrix<T>> {
 public:
  using Base = MatrixEngine<npmat::CUDAMatrix<T>>;

  void pick(const Picks& picks, Block source, Block target) override {
    if (is_block(picks)) return Base::pick(picks, source, target);
    npmat::pick<T>(picks, Base::at(source), Base::at(target));
  }
  void put(const Picks& picks, Block source, Block target) override {
    if (is_block(picks)) return Base::put(picks, source, target);
    npmat::put<T>(picks, Base::at(source), Base::at(target));
  }
  [[nodiscard]] bool on_gpu() const override { return false; }
  [[nodiscard]] std::int64_t free_bytes() const override {
    return static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  }

 private:
  /// Whether long pieces are copied, which a copy of a block does.
  static bool is_block(const Picks& picks) { return picks.indices.empty() && picks.stride == 1; }
};

}  // namespace

std::unique_ptr<Engine> make_npmat(int bits) {
  if (bits == 32) return std::make_unique<Npmat<float>>();
  if (bits == 64) return std::make_unique<Npmat<double>>();
  return std::make_unique<Npmat<long double>>();
}

}  // namespace gnumpy::detail
