#include "gnumpy/plans.hpp"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "gnumpy/work.hpp"
#include "rewriter/listing/compare.hpp"
#include "rewriter/passes/pipeline.hpp"

namespace gnumpy {

namespace detail {

namespace {

struct KeyHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
};

/// A number of a statement that is one of the form's numbers, or minus one of them.
struct Slot {
  std::size_t statement = 0;
  std::size_t at = 0;
  std::size_t number = 0;
  double sign = 1;
};

/// A plan in which the form's numbers can be replaced.
struct Entry {
  std::shared_ptr<Plan> plan;
  std::vector<Slot> slots;

  void use(const std::vector<double>& numbers) const {
    for (const Slot& slot : slots)
      plan->list.statements[slot.statement].numbers[slot.at] = slot.sign * numbers[slot.number];
  }
};

/// Another ordinary number, for each number another one.
double other(double number) {
  const double changed = number * (1 + 0.25 * std::abs(std::sin(number)) + 0.0625);
  return is_ordinary(changed) ? changed : number * 1.37;
}

std::vector<bool> may_overwrite(const Form& form) {
  std::vector<bool> result;
  for (const InputLeaf& leaf : form.leaves()) result.push_back(leaf.may_overwrite);
  return result;
}

/// Which numbers of the statements come from the form's, told from a list that was made with other
/// numbers; nothing if the statements depend on the numbers in another way.
std::optional<std::vector<Slot>> find_slots(const Plan& plan, rewriter::StatementList changed,
                                            const std::vector<double>& numbers) {
  std::vector<Slot> slots;
  const auto& statements = plan.list.statements;
  if (changed.statements.size() != statements.size()) return std::nullopt;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (changed.statements[i].numbers.size() != statements[i].numbers.size()) return std::nullopt;
    for (std::size_t at = 0; at < statements[i].numbers.size(); ++at) {
      const double here = statements[i].numbers[at];
      double& there = changed.statements[i].numbers[at];
      if (here == there) continue;
      const auto fits = [&](std::size_t k, double sign) {
        return here == sign * numbers[k] && there == sign * other(numbers[k]);
      };
      std::optional<Slot> slot;
      for (std::size_t k = 0; k < numbers.size() && !slot; ++k)
        for (const double sign : {1.0, -1.0})
          if (fits(k, sign)) slot = Slot{i, at, k, sign};
      if (!slot) return std::nullopt;
      slots.push_back(*slot);
      there = here;
    }
  }
  if (!rewriter::same_list(plan.list, changed)) return std::nullopt;
  return slots;
}

/// Plans by form. There are as many as a program has expressions, unless shapes vary.
class Plans {
 public:
  std::shared_ptr<const Plan> get(const NodePtr& root, const Form& form, bool in_place) {
    if (const auto found = plans_.find(form.key()); found != plans_.end()) {
      found->second.use(form.numbers());
      return found->second.plan;
    }
    if (form.numbers().empty()) return add(form, {made(*root, form, in_place), {}});
    const Form by_value(root, in_place, Numbers::ByValue);
    if (const auto found = plans_.find(by_value.key()); found != plans_.end())
      return found->second.plan;
    const std::shared_ptr<Plan> plan = made(*root, form, in_place);
    auto slots = find_slots(*plan, translate(*root, form.leaves(), in_place, passes_, &other),
                            form.numbers());
    return slots ? add(form, {plan, *std::move(slots)}) : add(by_value, {plan, {}});
  }

  std::shared_ptr<Plan> made(const Node& root, const Form& form, bool in_place) const {
    return std::make_shared<Plan>(
        make_plan(translate(root, form.leaves(), in_place, passes_), may_overwrite(form)));
  }

  const std::string& passes() const { return passes_; }

  void use_passes(std::string_view names) {
    (void)rewriter::parse_pass_names(names);  // refuses what it does not know
    passes_ = names;
    plans_.clear();
  }

 private:
  static constexpr std::size_t kMost = 4096;

  std::shared_ptr<const Plan> add(const Form& form, Entry entry) {
    if (plans_.size() >= kMost) plans_.clear();
    return plans_.emplace(form.key(), std::move(entry)).first->second.plan;
  }

  static std::string passes_of_environment() {
    const char* const names = std::getenv("GNUMPY_PASSES");
    std::string passes = names == nullptr || *names == '\0' ? "default" : names;
    (void)rewriter::parse_pass_names(passes);
    return passes;
  }

  std::string passes_ = passes_of_environment();
  std::unordered_map<std::string, Entry, KeyHash, std::equal_to<>> plans_;
};

/// For the holder of a Lock.
Plans& plans() {
  static Plans& plans = *new Plans;
  return plans;
}

}  // namespace

std::shared_ptr<const Plan> plan_of(const NodePtr& root, const Form& form, bool in_place) {
  return plans().get(root, form, in_place);
}

Plan new_plan(const Node& root, const Form& form, bool in_place) {
  return *plans().made(root, form, in_place);
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
