#include "tools/rbm_options.hpp"

#include <CLI/CLI.hpp>

#include "cudamat/error.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "tools/command_line.hpp"

namespace rbm {

namespace {

constexpr const char* kDescription =
    "Trains the Gnumpy report's restricted Boltzmann machine, and shows what it learned.\n";

constexpr const char* kFooter =
    R"(Layers: cudamat is the report's listing 2.1, written by hand as Cudamat statements; gnumpy is
listing 2.2 on garrays; rewriter is listing 2.2 in NumPy notation, converted to statements. All
begin with the same weights. cudamat and gnumpy draw the same random numbers; the list of the
rewriter draws them in another order. With --compare all layers use the same ones.

Pictures: filters.png (the weights of the hidden units with the largest norms; grey is 0),
reconstructions.png (cases above, their reconstructions below) and errors.svg are written before the
training and after every epoch. With the layer rewriter, weights are drawn only at the end.

Examples:
  rbm --mnist DIR --hidden 256 --epochs 20 --pictures out
  rbm --compare --hidden 256 --precision 64

The default precision is GNUMPY_CPU_PRECISION, or 32. GNUMPY_USE_GPU, auto|yes|no, selects the
engine if --engine does not.

Exit status: 0 done; 2 a bad option or file, or one that cannot be written; 130 interrupted; 143 ended
by SIGTERM.)";

/// What --layer and --passes say together.
Layer layer_of(const std::string& name, const std::optional<std::string>& passes) {
  if (name != "rewriter") {
    if (passes) throw CLI::ValidationError("--passes", "belongs to --layer rewriter");
    return {name == "gnumpy" ? Layer::Kind::Gnumpy : Layer::Kind::Cudamat};
  }
  try {
    rewriter::parse_pass_names(passes.value_or("none"));
  } catch (const cudamat::CUDAMatException& error) {
    throw CLI::ValidationError("--passes", error.what());
  }
  return {Layer::Kind::Rewriter, passes.value_or("none")};
}

void check_compare(const CLI::App& app) {
  for (const char* const option : {"--layer", "--passes", "--save"})
    if (app.count(option) != 0)
      throw CLI::ValidationError(option, "belongs to one layer; --compare trains them all");
}

}  // namespace

std::pair<std::optional<Options>, int> parse_options(int argc, char** argv) {
  Options options;
  std::string layer = "cudamat";
  std::optional<std::string> passes;
  std::optional<int> precision;

  CLI::App app(kDescription, "rbm");
  app.footer(kFooter);
  app.set_version_flag("--version", "rbm " CUDAMAT_VERSION);
  app.get_formatter()->column_width(26);
  app.add_option("--layer", layer, "the implementation: cudamat|gnumpy|rewriter (default: cudamat)")
      ->check(CLI::IsMember({"cudamat", "gnumpy", "rewriter"}))
      ->option_text("LAYER");
  app.add_option("--passes", passes,
                 "the passes of the rewriter: none (default), default, all, or names of passes")
      ->option_text("WHICH");
  app.add_flag("--compare", options.compare,
               "train all layers, the rewriter's without passes and with all, with the same\n"
               "random numbers, and compare their errors, weights and times");
  app.add_option("--engine", options.engine, "auto|npmat|cudamat (default: auto)")
      ->check(CLI::IsMember({"auto", "npmat", "cudamat"}))
      ->option_text("ENGINE");
  app.add_option("--precision", precision, "bits of a floating-point number: 32|64|128")
      ->check(CLI::IsMember({32, 64, 128}))
      ->option_text("BITS");
  app.add_option("--epochs", options.epochs, "passes over the data (default: 5)")
      ->check(tools::whole_number)
      ->option_text("N");
  app.add_option("--mnist", options.mnist,
                 "read pictures from the IDX files, gzipped or not, in DIR\n"
                 "(default: bars and stripes, generated)")
      ->option_text("DIR");
  app.add_option("--cases", options.cases,
                 "the maximum number of cases (default: 2048, or all of MNIST)")
      ->check(tools::positive_number)
      ->option_text("N");
  app.add_option("--hidden", options.settings.num_hid, "hidden units (default: 4096)")
      ->check(tools::positive_number)
      ->option_text("N");
  app.add_option("--batch", options.settings.batch_size, "cases in a batch (default: 128)")
      ->check(tools::positive_number)
      ->option_text("N");
  app.add_option("--seed", options.seed,
                 "the seed of the data, the weights and the sampling (default: 1)")
      ->check(tools::whole_number)
      ->option_text("N");
  app.add_option("--save", options.save, "write the weights, visible x hidden units")
      ->option_text("FILE.npy");
  app.add_option("--pictures", options.pictures,
                 "write filters.png, reconstructions.png and errors.svg into DIR")
      ->option_text("DIR");
  try {
    app.parse(argc, argv);
    if (options.compare) check_compare(app);
    options.layer = layer_of(layer, passes);
    options.precision = precision ? *precision : tools::default_precision();
  } catch (const CLI::ParseError& error) {
    return {std::nullopt, tools::settle(app, error)};
  }
  return {std::move(options), 0};
}

}  // namespace rbm
