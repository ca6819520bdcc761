// Lists as CUDA programs that need no library of ours: a kernel for each statement of elements.
#include <algorithm>
#include <set>

#include "rewriter/emit/cpp_program.hpp"
#include "rewriter/emit/print.hpp"

namespace rewriter {

namespace {

class CudaProgram : public CppProgram {
 public:
  using CppProgram::CppProgram;

 private:
  emit::Machine machine() const override { return emit::Machine::Gpu; }
  Head head(const std::string& standalone) const override;
  std::string before_run() const override { return kernels_; }
  void write_input(const Binding& input) override;
  void write_output(const Binding& output) override;

  std::string first(const std::string& matrix) const override {
    return fmt::format("cm::first({})", matrix);
  }
  void write_filled(const std::string& matrix, const std::string& value) override {
    put("cm::fill({}, {});", matrix, value);
  }
  void write_eye(const std::string& matrix, Index i, Index j, Index count) override {
    put("cm::eye({}, {}, {}, {});", matrix, i, j, std::max<Index>(0, count));
  }
  void write_copied(const std::string& array, const std::string& matrix) override {
    put("cm::upload({}, {});", array, matrix);
  }
  void write_whole(const std::string& target, std::string_view function,
                   const std::string& operands) override {
    put("cm::{}({}, {});", function, operands, target);
  }
  void write_loops(const Elements& all, const Body& body) override;
  void write_reduction_of(const Elements& all, const Body& body, const Reduced& reduced,
                          const std::string& rest) override;

  /// What a kernel is given: the matrices and the counts of loops that its text names.
  struct Given {
    std::vector<std::string> matrices, counts;

    std::string joined() const {
      std::vector<std::string> all = matrices;
      all.insert(all.end(), counts.begin(), counts.end());
      return fmt::format("{}", fmt::join(all, ", "));
    }
  };
  Given given(const Elements& all, const Body& body) const;
  /// The words of what is computed for each element.
  static std::vector<std::string> words_of(const Body& body);
  /// The lines of write(), which are of a kernel.
  template <class F>
  void write_kernel(const F& write);
  void write_body(const Elements& all, const Body& body);

  std::string kernels_;
};

CudaProgram::Head CudaProgram::head(const std::string& standalone) const {
  std::string libraries;
  for (const auto& [header, library] :
       {std::pair("cublas", "cublas"), std::pair("cusolverDn", "cusolver")})
    if (standalone.find(header) != standalone.npos) libraries += std::string(" -l") + library;
  return {"CUDA C++17", "nvcc -O3 -fmad=false -arch=native FILE.cu" + libraries};
}

void CudaProgram::write_input(const Binding& input) {
  write_room(input);
  put("cm::{}({}, {});", lies_alike(input) ? "upload" : "read_rows", parameter(input, true),
      names_[input.var]);
}

void CudaProgram::write_output(const Binding& output) {
  put("cm::{}({}, {});", lies_alike(output) ? "download" : "write_rows", names_[output.var],
      parameter(output, false));
}

// ---- kernels ----

std::vector<std::string> CudaProgram::words_of(const Body& body) {
  const std::string text = fmt::format("{}\n{}", fmt::join(body.lines, "\n"), body.value);
  const std::vector<std::string_view> words = emit::tokens(text);
  return {words.begin(), words.end()};
}

CudaProgram::Given CudaProgram::given(const Elements& all, const Body& body) const {
  std::vector<std::string> words = words_of(body);
  const std::string extents = text_of(all.space.rows) + " " + text_of(all.space.cols);
  for (const std::string_view word : emit::tokens(extents)) words.emplace_back(word);
  const auto is_named = [&](const std::string& name) {
    return std::ranges::find(words, name) != words.end();
  };
  std::vector<Var> vars;
  for (const Store& store : all.stores) vars.push_back(store.place.var);
  for (const Place& input : all.inputs) vars.push_back(input.var);
  Given result;
  std::set<std::string> known;
  for (const Var var : vars)
    if (known.insert(names_[var]).second && is_named(names_[var]))
      result.matrices.push_back(names_[var]);
  for (std::size_t loop = 0; loop < list_.loops.size(); ++loop)
    if (list_.loops[loop].has_variable() && is_named(names_.loop(loop)) &&
        known.insert(names_.loop(loop)).second)
      result.counts.push_back(names_.loop(loop));
  return result;
}

template <class F>
void CudaProgram::write_kernel(const F& write) {
  std::string run = std::exchange(out_, {});
  const int depth = std::exchange(depth_, 0);
  out_ += '\n';
  write();
  depth_ = depth;
  kernels_ += std::exchange(out_, std::move(run));
}

void CudaProgram::write_body(const Elements& all, const Body& body) {
  if (!body.flat) {
    const ListInteger none{}, one{1, {}};
    const std::string rows = text_of(all.space.rows == none ? one : all.space.rows);
    const std::vector<std::string> words = words_of(body);
    if (std::ranges::find(words, i_) != words.end())
      put("const cm::Index {} = {}{};", i_, k_,
          all.has_columns() ? fmt::format(" % ({})", rows) : "");
    if (std::ranges::find(words, j_) != words.end())
      put("const cm::Index {} = {}{};", j_, k_, all.has_rows() ? fmt::format(" / ({})", rows) : "");
  }
  for (const std::string& text : body.lines) put("{}", text);
}

void CudaProgram::write_loops(const Elements& all, const Body& body) {
  const Given given = this->given(all, body);
  const std::string kernel = names_.fresh("compute_" + names_[all.stores[0].place.var]);
  const std::string count = count_text(all.space);
  write_kernel([&] {
    std::vector<std::string> parameters;
    for (const std::string& matrix : given.matrices) parameters.push_back("cm::Matrix " + matrix);
    for (const std::string& loop : given.counts) parameters.push_back("cm::Index " + loop);
    line("__global__ void {}({}) {{", kernel, fmt::join(parameters, ", "));
    put("for (cm::Index {0} = cm::first_item(); {0} < {1}; {0} += cm::stride()) {{", k_, count);
    ++depth_;
    write_body(all, body);
    --depth_;
    put("}}");
    line("}}");
  });
  put("cm::launch({}, {}, {});", kernel, count, given.joined());
}

void CudaProgram::write_reduction_of(const Elements& all, const Body& body, const Reduced& reduced,
                                     const std::string& rest) {
  const Given given = this->given(all, body);
  const std::string terms = names_.fresh("terms_of_" + names_[reduced.var]);
  write_kernel([&] {
    line("struct {} {{", terms);
    if (!given.matrices.empty()) put("cm::Matrix {};", fmt::join(given.matrices, ", "));
    if (!given.counts.empty()) put("cm::Index {};", fmt::join(given.counts, ", "));
    out_ += '\n';
    put("__device__ T operator()(cm::Index {}) const {{", k_);
    ++depth_;
    write_body(all, body);
    put("return {};", body.value);
    --depth_;
    put("}}");
    line("}};");
  });
  const ReduceCall call = reduce_call(all, reduced);
  put("cm::reduce<cm::{}>({}{{{}}}, {}, {}{});", call.functor, terms, given.joined(), call.extents,
      call.target, rest);
}

}  // namespace

std::string print_cuda_program(const StatementList& list, const Program* program,
                               const PrintOptions& options) {
  if (options.bytes_per_element == 16)
    cudamat::misuse("cuda", "a GPU has no long double; choose 32 or 64 bits");
  return CudaProgram(list_of_program(list), program, options).print();
}

}  // namespace rewriter
