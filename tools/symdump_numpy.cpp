#include "tools/symdump_numpy.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <type_traits>

#include "cudamat/error.hpp"
#include "npmat/npy.hpp"
#include "tools/interrupt.hpp"
#include "tools/numpy_check.hpp"

namespace symdump {

using cudamat::misuse;

namespace {

constexpr int kNoNumpy = 3;  // numpy_check.py's exit status
constexpr const char* kOption = "--verify=numpy";

template <class T>
constexpr const char* kRealOf = std::is_same_v<T, float>    ? "float32"
                                : std::is_same_v<T, double> ? "float64"
                                                            : "longdouble";

/// A number as Python reads it back, whole or not.
std::string number_text(const std::variant<std::int64_t, double>& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  return fmt::format("{:.17e}", std::get<double>(value));
}

/// Its kind and its text, as Python reads it back.
nlohmann::json known_value(const rewriter::Program::Returned& value) {
  using enum rewriter::Program::Returned::Kind;
  switch (value.kind) {
    case Bool:
      return {"bool", value.integer != 0 ? "True" : "False"};
    case Int:
      return {"int", fmt::format("{}", value.integer)};
    case Float:
      return {"float", fmt::format("{:.17e}", value.number)};
    case Text:
      return {"text", value.text};
    default:
      return {"None", "None"};
  }
}

/// The file given for an input of booleans or integers, which NumPy is to read as they are.
std::optional<std::string> file_of_integers(const Options& options, const std::string& name) {
  for (const auto& [input, file] : options.inputs)
    if (input == name &&
        std::string_view("biu").find(npmat::read_npy_header(file).kind()) != std::string_view::npos)
      return file;
  return std::nullopt;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

std::string absolute_path(const std::filesystem::path& path) {
  return std::filesystem::absolute(path.empty() ? "." : path).lexically_normal().string();
}

/// "rand 3 4"
void answer(tools::ChildProcess& python, const std::string& request, const DrawSource& draws) {
  std::istringstream words(request);
  std::string kind;
  words >> kind;
  if (kind == "seed") {
    std::uint64_t seed = 0;
    words >> seed;
    return draws.seed(seed);
  }
  cudamat::Shape shape;
  words >> shape.rows >> shape.cols;
  if (!words || (kind != "rand" && kind != "randn"))
    throw cudamat::InternalError(fmt::format("numpy_check.py asks for '{}'", request));
  const auto op = kind == "rand" ? rewriter::Op::fill_with_rand : rewriter::Op::fill_with_randn;
  python.answer(draws.draw(op, shape));
}

}  // namespace

template <class T>
NumpyRun::NumpyRun(const NumpyTask<T>& task) {
  const std::filesystem::path& folder = folder_.path();
  nlohmann::json json{{"precision", kRealOf<T>},
                      {"name", task.program.name()},
                      {"function", task.options.function},
                      {"values", nlohmann::json::object()},
                      {"inputs", nlohmann::json::object()},
                      {"complex", nlohmann::json::array()},
                      {"outputs", task.outputs},
                      {"left_out", nlohmann::json::array()},
                      {"known", nlohmann::json::array()},
                      {"folders", nlohmann::json::array()},
                      {"files", nlohmann::json::object()}};
  if (task.options.program != "-")
    json["folders"].push_back(
        absolute_path(std::filesystem::path(task.program.name()).parent_path()));
  for (const std::string& each : task.options.folders)
    json["folders"].push_back(absolute_path(each));
  const rewriter::Source& source = task.program;
  for (std::size_t file = 1; file < source.file_count(); ++file) {
    const std::string& name = source.name_of(source.line_of(source.file(file).begin));
    if (!name.starts_with('<')) json["files"][absolute_path(name)] = nlohmann::json::array();
  }
  for (const int line : task.left_out) {
    const bool is_other = source.file_number(source.line_start(line)) > 0;
    auto& lines = is_other ? json["files"][absolute_path(source.name_of(line))] : json["left_out"];
    lines.push_back(source.line_in_file(line));
  }
  for (const auto& [name, value] : task.known) json["known"].push_back({name, known_value(value)});
  for (const auto& [name, value] : task.options.values) json["values"][name] = number_text(value);
  for (const auto& [name, file] : task.options.inputs)
    if (npmat::read_npy_header(file).kind() == 'c') json["complex"].push_back(name);
  for (const auto& [name, array] : task.inputs) {
    const std::string file = fmt::format("input-{}.npy", json["inputs"].size());
    if (const auto given = file_of_integers(task.options, name))
      std::filesystem::create_symlink(std::filesystem::absolute(*given), folder / file);
    else
      npmat::save_npy(folder / file, array);
    json["inputs"][name] = file;
  }
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  tools::write_file(folder / "task.json", json.dump(1, ' ', true, kReplace));
  tools::write_file(folder / "program.py", std::string(source.slice(source.file(0))));
  tools::write_file(folder / "numpy_check.py", kNumpyCheck);
  tools::write_file(folder / "numpy_roundings.py", kNumpyRoundings);
  start();
}

int found_numpy() {
  const std::string script =
      "import importlib.metadata, os\n"
      "os.write(0, importlib.metadata.version('numpy').encode() + b'\\n')";
  for (const std::string& python : tools::found_on_path("python3")) {
    tools::ChildProcess asked({python, "-c", script}, "/dev/null");
    const std::optional<std::string> version = asked.line();
    if (asked.wait() == 0 && version) return version->starts_with("1.") ? 1 : 2;
  }
  return 0;
}

/// By the first python3 that has NumPy.
void NumpyRun::start() {
  const std::string script = folder_.path() / "numpy_check.py";
  std::string tried;
  for (const std::string& python : tools::found_on_path("python3")) {
    python_ = std::make_unique<tools::ChildProcess>(
        std::vector<std::string>{python, "-B", script, folder_.path()},
        folder_.path() / "errors.txt");
    const std::optional<std::string> hello = python_->line();
    if (hello && hello->starts_with("numpy ")) {
      version_ = hello->substr(6);
      return;
    }
    const int status = python_->wait();
    tried += fmt::format(
        "\n  {}: {}", python,
        status == kNoNumpy ? last_line(errors()) : fmt::format("status {}, {}", status, errors()));
  }
  misuse("symdump", "{} needs a python3 with NumPy; {}", kOption,
         tried.empty() ? "there is no python3 on PATH"
                       : "none on PATH has it (Debian's package is python3-numpy):" + tried);
}

void NumpyRun::finish(const DrawSource& draws) {
  while (const std::optional<std::string> request = python_->line()) {
    if (*request == "done") return;
    answer(*python_, *request, draws);
  }
  fail();
}

NumpyRun::Judgement NumpyRun::judge(const std::vector<long double>& differences,
                                    const std::string& printed) {
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  const nlohmann::json asked{{"differences", differences}, {"printed", printed}};
  python_->answer(asked.dump(-1, ' ', true, kReplace) + "\n");
  const std::optional<std::string> said = python_->line();
  if (!said) fail();
  const nlohmann::json judged = nlohmann::json::parse(*said);
  const nlohmann::json& of_printed = judged.at("printed");
  return {judged.at("agree"), of_printed.is_null() ? "" : of_printed.get<std::string>(),
          judged.at("known")};
}

/// The script ended before it said what it is to say.
void NumpyRun::fail() {
  const int status = python_->wait();
  tools::stop_if_interrupted();  // Ctrl-C ends Python, too
  misuse("symdump", "{}: python3 {}{}", kOption,
         status < 0 ? fmt::format("was ended by signal {}", -status)
                    : fmt::format("ended with status {}", status),
         errors().empty() ? "" : ": " + last_line(errors()));
}

std::string NumpyRun::raised() const {
  return tools::file_text(folder_.path() / "raised.txt");
}

NumpyRun::Output NumpyRun::output(std::size_t k) const {
  const std::filesystem::path file = folder_.path() / fmt::format("output-{}.npy", k);
  if (std::filesystem::exists(file)) return {file, ""};
  return {{}, tools::file_text(folder_.path() / fmt::format("output-{}.txt", k))};
}

std::string NumpyRun::errors() const {
  return tools::file_text(folder_.path() / "errors.txt");
}

template NumpyRun::NumpyRun(const NumpyTask<float>&);
template NumpyRun::NumpyRun(const NumpyTask<double>&);
template NumpyRun::NumpyRun(const NumpyTask<long double>&);

}  // namespace symdump
