#include "gnumpy/plan_cache.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "gnumpy/number_check.hpp"
#include "gnumpy/work.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"

namespace gnumpy {

namespace detail {

namespace {

struct KeyHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
};

/// A number of a statement that is one of the key's numbers, or minus one of them.
struct Slot {
  std::size_t statement = 0;
  std::size_t at = 0;
  std::size_t number = 0;
  double sign = 1;
};

/// A plan in which the key's numbers can be replaced.
struct Entry {
  std::shared_ptr<Plan> plan;
  std::vector<Slot> slots;

  void use(std::span<const double> numbers) const {
    for (const Slot& slot : slots)
      plan->list.statements[slot.statement].numbers[slot.at] = slot.sign * numbers[slot.number];
  }
};

/// How often each number of the key is in a list; nothing if the list is for these numbers alone.
std::optional<std::vector<int>> uses_of(const rewriter::StatementList& list, std::size_t numbers) {
  std::vector<int> uses(numbers, 0);
  for (const rewriter::Statement& statement : list.statements)
    for (const rewriter::Number& number : statement.numbers) {
      if (number.is_mixed()) return std::nullopt;
      if (number.is_parameter()) ++uses[static_cast<std::size_t>(number.parameter())];
    }
  return uses;
}

std::vector<Slot> slots_of(const rewriter::StatementList& list) {
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < list.statements.size(); ++i)
    for (std::size_t at = 0; at < list.statements[i].numbers.size(); ++at)
      if (const rewriter::Number number = list.statements[i].numbers[at]; number.is_parameter())
        slots.push_back({i, at, static_cast<std::size_t>(number.parameter()),
                         number.is_negated() ? -1.0 : 1.0});
  return slots;
}

/// The expression as a program: inputs x1, x2, ... in the order of the key's leaves, the output is
/// `result`; what may not be overwritten is an output, too.
rewriter::Program program_of(const StructuralKey& key) {
  rewriter::Program program;
  const auto add = [&](const Array& input, std::size_t leaf) {
    program.inputs.push_back({fmt::format("x{}", leaf + 1), input.node()});
  };
  for (std::size_t k = 0; k < key.leaves().size(); ++k) add(*key.leaves()[k].leaf->tree, k);
  for (const auto& [input, leaf] : key.inputs())
    if (input->node() != program.inputs[leaf].node) add(*input, leaf);
  const rewriter::NodePtr& root = key.tree().node();
  program.steps.push_back(root);
  program.assignments.push_back({"result", root});
  program.results.push_back({"result", root});
  for (std::size_t k = 0; k < key.leaves().size(); ++k)
    if (!key.leaves()[k].may_overwrite) program.results.push_back(program.inputs[k]);
  program.parameters = key.parameters();
  return program;
}

/// Plans by key. There are as many as a program has expressions, unless shapes vary.
class PlanCache {
 public:
  std::shared_ptr<const Plan> get(const NodePtr& root, const StructuralKey& key, bool in_place) {
    if (checked_ != may_check_numbers()) {
      checked_ = !checked_;
      plans_.clear();
    }
    if (const auto found = plans_.find(key.key()); found != plans_.end()) {
      found->second.use(key.numbers());
      return found->second.plan;
    }
    const auto literal = lower(key);
    const auto plan = std::make_shared<Plan>(made(literal, key));
    const auto before = uses_of(literal, key.numbers().size());
    const auto after = uses_of(plan->list, key.numbers().size());
    // A number of which a use is gone has decided what the statements are.
    if (before && after &&
        std::equal(before->begin(), before->end(), after->begin(), std::less_equal<>()))
      return add(key, {plan, slots_of(plan->list)});
    const StructuralKey by_value(root, in_place, Numbers::ByValue);
    if (const auto found = plans_.find(by_value.key()); found != plans_.end())
      return found->second.plan;
    return add(by_value, {std::make_shared<Plan>(made(lower(by_value), by_value)), {}});
  }

  Plan make(const StructuralKey& key) const { return made(lower(key), key); }

  const std::string& passes() const { return passes_; }

  void use_passes(std::string_view names) {
    (void)rewriter::parse_pass_names(names);  // raises an error for what it does not know
    passes_ = names;
    plans_.clear();
  }

 private:
  static constexpr std::size_t kMost = 4096;

  static rewriter::StatementList lower(const StructuralKey& key) {
    return rewriter::lower(program_of(key), {}, rewriter::Layout::COrder);
  }

  Plan made(const rewriter::StatementList& literal, const StructuralKey& key) const {
    rewriter::PassChoice choice = rewriter::parse_pass_names(passes_);
    if (may_check_numbers()) std::erase(choice.passes, &rewriter::find_pass("fuse"));
    choice.options.may_overwrite_inputs = true;
    choice.options.transposed_factors_are_flags = true;
    choice.options.bindings_stay = true;
    rewriter::StatementList list = rewriter::run_passes(literal, choice).list;
    std::erase_if(list.outputs,
                  [](const rewriter::Binding& output) { return output.name != "result"; });
    std::vector<bool> may_overwrite;
    for (const InputLeaf& leaf : key.leaves()) may_overwrite.push_back(leaf.may_overwrite);
    return make_plan(std::move(list), may_overwrite);
  }

  std::shared_ptr<const Plan> add(const StructuralKey& key, Entry entry) {
    if (plans_.size() >= kMost) plans_.clear();
    return plans_.emplace(key.key(), std::move(entry)).first->second.plan;
  }

  static std::string passes_of_environment() {
    const char* const names = std::getenv("GNUMPY_PASSES");
    std::string passes = names == nullptr || *names == '\0' ? "default,fuse" : names;
    (void)rewriter::parse_pass_names(passes);
    return passes;
  }

  std::string passes_ = passes_of_environment();
  bool checked_ = false;  // whether the plans are for numbers that may be checked
  std::unordered_map<std::string, Entry, KeyHash, std::equal_to<>> plans_;
};

/// For the holder of a Lock.
PlanCache& plans() {
  static PlanCache& plans = *new PlanCache;
  return plans;
}

}  // namespace

std::shared_ptr<const Plan> plan_of(const NodePtr& root, const StructuralKey& key, bool in_place) {
  return plans().get(root, key, in_place);
}

Plan make_plan(const StructuralKey& key) {
  return plans().make(key);
}

}  // namespace detail

void passes(std::string_view names) {
  const detail::Lock lock;
  detail::plans().use_passes(names);
}

std::string passes() {
  const detail::Lock lock;
  return detail::plans().passes();
}

}  // namespace gnumpy
