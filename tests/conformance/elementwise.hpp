// The rows of CUDAMAT_MAP_OPS: every element against reference.hpp, for all shapes, at aligned and
// odd addresses, with the target apart from the operands and in place of each of them, and with all
// matrices flagged as transposed.
#pragma once

#include "tests/conformance/harness.hpp"

namespace conformance {

/// Where the target of a call is.
enum class Place { Apart, OnFirst, OnSecond };

/// Compares elements with samples. One result per sample: wherever an element stands, in place or
/// not, the same arguments must give the same bits.
template <class T>
class Judge {
 public:
  Judge(Op op, std::vector<Sample<T>> samples) : op_(op), samples_(std::move(samples)) {
    first_result_.resize(samples_.size());
    seen_.resize(samples_.size());
  }

  /// Element k of a matrix takes sample number k + phase.
  Host<T> first(Shape shape, Index phase) const { return operand(shape, phase, &Sample<T>::x); }
  Host<T> second(Shape shape, Index phase) const { return operand(shape, phase, &Sample<T>::y); }

  void check(const Host<T>& got, Index phase, const std::string& what) {
    int failures = 0;
    std::size_t sample = first_sample(phase);
    for (Index k = 0; k < got.shape().size() && failures < 5; ++k, sample = next(sample))
      failures += check_one(got.data()[k], sample, what) ? 0 : 1;
  }

 private:
  std::size_t first_sample(Index phase) const {
    return static_cast<std::size_t>(phase) % samples_.size();
  }
  std::size_t next(std::size_t sample) const {
    return sample + 1 == samples_.size() ? 0 : sample + 1;
  }

  Host<T> operand(Shape shape, Index phase, T Sample<T>::*member) const {
    Host<T> result(shape);
    std::size_t sample = first_sample(phase);
    for (Index k = 0; k < shape.size(); ++k, sample = next(sample))
      result.data()[k] = samples_[sample].*member;
    return result;
  }

  bool check_one(T got, std::size_t k, const std::string& what) {
    const Sample<T>& sample = samples_[k];
    if (seen_[k]) {
      if (same_value(got, first_result_[k])) return true;
      ADD_FAILURE() << call(sample) << " was " << text(first_result_[k]) << " and is now "
                    << text(got) << "; " << what;
      return false;
    }
    first_result_[k] = got;
    seen_[k] = 1;
    const int allowed = tolerance(op_);
    if (same_value(got, sample.expected)) return true;
    if (allowed > 0 && ulps_apart(got, sample.expected) <= allowed) return true;
    if (near_zero_of_lgamma(sample) && magnitude(got - sample.expected) <= 16 * kEpsilon)
      return true;
    ADD_FAILURE() << call(sample) << " is " << text(got) << ", expected " << text(sample.expected)
                  << ", " << ulps_apart(got, sample.expected) << " ulp apart; " << what;
    return false;
  }

  /// Where a GPU's double has an absolute error; see functors.hpp.
  bool near_zero_of_lgamma(const Sample<T>& sample) const {
    return op_ == Op::lgamma && std::is_same_v<T, double> && sample.x < T(-2) &&
           magnitude(sample.expected) < T(1);
  }

  std::string call(const Sample<T>& sample) const {
    return fmt::format("{}({}, {})", name(op_), text(sample.x), text(sample.y));
  }

  static constexpr T kEpsilon = std::numeric_limits<T>::epsilon();

  Op op_;
  std::vector<Sample<T>> samples_;
  std::vector<T> first_result_;
  std::vector<char> seen_;
};

/// How many matrices a call reads, and the call itself: first (+ second) to target.
template <class E>
struct ElementwiseCall {
  Op op;
  bool two_operands;
  void (*to)(const Mat<E>& first, const Mat<E>& second, Mat<E>& target, Value<E> alpha);
};

/// One call on one placement.
template <class E>
void check_call(const ElementwiseCall<E>& call, Judge<Value<E>>& judge, Shape shape, Place place,
                bool flagged, Index phase, Value<E> alpha) {
  const std::string what = fmt::format("{}, {}{}", shape,
                                       place == Place::Apart     ? "target apart"
                                       : place == Place::OnFirst ? "target is the first operand"
                                                                 : "target is the second operand",
                                       flagged ? ", all flagged" : "");
  const auto first_values = judge.first(shape, phase);
  const auto second_values = judge.second(shape, phase);
  Framed<E> first(first_values, phase % 4);
  Framed<E> second(second_values, (phase + 1) % 4);
  Framed<E> target(shape, (phase + 2) % 4);
  Framed<E>& out = place == Place::Apart ? target : place == Place::OnFirst ? first : second;
  for (Framed<E>* matrix : {&first, &second, &target}) (*matrix)->set_trans(flagged);
  call.to(*first, *second, *out, alpha);
  judge.check(out.contents(), phase, what);
  if (place != Place::OnFirst) expect_same(first.contents(), first_values, what + ": operand");
  if (place != Place::OnSecond) expect_same(second.contents(), second_values, what + ": operand");
}

/// All shapes and placements of a call whose operands and target have one shape.
template <class E>
void check_elementwise(const ElementwiseCall<E>& call, Value<E> alpha, std::vector<Place> places) {
  using T = Value<E>;
  Judge<T> judge(call.op, samples<T>(call.op, alpha));
  Index phase = 0;
  // The first shape is large: it sees every sample.
  check_call<E>(call, judge, {97, 101}, places[0], false, 0, alpha);
  if (::testing::Test::HasFailure()) return;
  for (const Shape shape : shapes())
    for (const Place place : places) {
      ++phase;
      check_call<E>(call, judge, shape, place, false, phase, alpha);
      if (shape.rows == 5) check_call<E>(call, judge, shape, place, true, phase, alpha);
      if (::testing::Test::HasFailure()) return;
    }
}

/// The numbers that stand for a second operand.
template <class T>
std::vector<T> scalars() {
  return {T(0.75), T(-2), T(0), T(1), T(3), T(256), kInfinity<T>, kNaN<T>};
}

/// f(a, number): samples of the first operand alone.
template <class E>
void check_scalar(Op op, void (*to)(const Mat<E>&, Value<E>, Mat<E>&)) {
  using T = Value<E>;
  for (const T number : scalars<T>()) {
    std::vector<Sample<T>> list = samples<T>(op);
    std::erase_if(list, [&](const Sample<T>& sample) { return !takes(op, sample.x, number); });
    if (list.empty()) continue;
    for (auto& sample : list) {
      sample.y = number;
      sample.expected = expected(op, sample.x, number);
    }
    Judge<T> judge(op, std::move(list));
    for (const Shape shape : {Shape{97, 101}, {0, 5}, {1, 1}, {33, 31}, {1, 1000}})
      for (const bool in_place : {false, true}) {
        const auto values = judge.first(shape, shape.rows);
        Framed<E> mat(values, shape.cols % 4);
        Framed<E> target(shape, 3);
        to(*mat, number, in_place ? *mat : *target);
        judge.check((in_place ? mat : target).contents(), shape.rows,
                    fmt::format("{} with the number {}", shape, text(number)));
        if (!in_place) expect_same(mat.contents(), values, "operand");
        if (::testing::Test::HasFailure()) return;
      }
  }
}

/// f(a, vec): column vectors run down the rows, row vectors along the columns.
template <class E>
void check_broadcast(Op op, bool row_vec, Value<E> alpha,
                     void (*to)(const Mat<E>& mat, const Mat<E>& vec, Mat<E>& target, Value<E>)) {
  using T = Value<E>;
  const std::vector<T>& special = special_values<T>();
  Random<T> random(7);
  Index offset = 0;
  for (const Shape shape : shapes())
    for (const Place place : {Place::Apart, Place::OnFirst}) {
      Host<T> values = random.matrix(shape, -100, 100);
      Host<T> vec_values = random.matrix(row_vec ? Shape{1, shape.cols} : Shape{shape.rows, 1});
      for (Index k = 0; k < shape.size(); k += 3)
        values.data()[k] = special[static_cast<std::size_t>(k / 3) % special.size()];
      for (Index k = 1; k < vec_values.shape().size(); k += 2)
        vec_values.data()[k] = special[static_cast<std::size_t>(k / 2) % special.size()];
      Host<T> wanted(shape);
      for (Index j = 0; j < shape.cols; ++j)
        for (Index i = 0; i < shape.rows; ++i)
          wanted(i, j) = expected(op, values(i, j), vec_values.data()[row_vec ? j : i], alpha);
      ++offset;
      Framed<E> mat(values, offset % 4);
      Framed<E> vec(vec_values, (offset + 1) % 4);
      Framed<E> target(shape, (offset + 3) % 4);
      Framed<E>& out = place == Place::Apart ? target : mat;
      to(*mat, *vec, *out, alpha);
      expect_same(out.contents(), wanted, fmt::format("{} of {}", name(op), shape));
      expect_same(vec.contents(), vec_values, "vec");
      if (place == Place::Apart) expect_same(mat.contents(), values, "mat");
      if (::testing::Test::HasFailure()) return;
    }
}

/// A matrix that is one vector long may be updated with itself, and be the target of a vector.
template <class E>
void check_broadcast_on_vec(Op op, bool row_vec, Value<E> alpha,
                            void (*to)(const Mat<E>&, const Mat<E>&, Mat<E>&, Value<E>)) {
  using T = Value<E>;
  Random<T> random(8);
  for (const Index n : {1, 5, 33, 1000}) {
    const Shape shape = row_vec ? Shape{1, n} : Shape{n, 1};
    const Host<T> values = random.matrix(shape, 1, 2);
    const Host<T> vec_values = random.matrix(shape, 1, 2);
    Framed<E> mat(values);
    Framed<E> vec(vec_values);
    to(*mat, *vec, *vec, alpha);
    to(*mat, *mat, *mat, alpha);
    const Host<T> on_vec = vec.contents();
    const Host<T> on_self = mat.contents();
    for (Index k = 0; k < n; ++k) {
      const T x = values.data()[k];
      ASSERT_EQ(on_vec.data()[k], expected(op, x, vec_values.data()[k], alpha)) << k;
      ASSERT_EQ(on_self.data()[k], expected(op, x, x, alpha)) << k;
    }
  }
}

}  // namespace conformance
