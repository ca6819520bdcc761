#include "rewriter/python/generators.hpp"

#include <algorithm>

namespace rewriter::ast {

using Kind = StatementKind;

static constexpr std::size_t kMostYields = 4;

Limits limits_of(const Iterable& iterable) {
  Limits limits;
  for (const Iterable::Call& call : iterable.calls) {
    limits.before = limits.before || call.kind == Iterable::Call::Kind::Islice ||
                    (call.kind == Iterable::Call::Kind::Zip && call.place > 0);
    limits.after =
        limits.after || (call.kind == Iterable::Call::Kind::Zip && call.place + 1 < call.count);
  }
  return limits;
}

bool is_generator_expression(const Program& program, ExprId id) {
  return program[id].kind == ExprKind::Comprehension &&
         static_cast<Bracket>(program[id].payload) == Bracket::Generator;
}

std::vector<Iterable> iterables_in(const Program& program, ExprId over) {
  std::vector<Iterable> found;
  const auto search = [&](const auto& self, const Iterable& in) -> void {
    const Expr& expr = program[in.generator];
    const Expr* callee =
        expr.kind == ExprKind::Call ? &program[program.child(in.generator, 0)] : nullptr;
    const bool is_named = callee != nullptr &&
                          (callee->kind == ExprKind::Name || callee->kind == ExprKind::Attribute);
    const std::string name = is_named ? program.string(*callee) : "";
    const auto arguments = program.children(in.generator);
    const auto within = [&](Iterable::Call::Kind kind, std::uint32_t place) {
      Iterable inner{in.calls, arguments[place + 1]};
      inner.calls.push_back({kind, place, expr.child_count - 1});
      self(self, inner);
    };
    if (name == "enumerate" && expr.child_count > 1)
      within(Iterable::Call::Kind::Enumerate, 0);
    else if (name == "islice" && expr.child_count == 3)
      within(Iterable::Call::Kind::Islice, 0);
    else if (name == "zip")
      for (std::uint32_t k = 0; k + 1 < expr.child_count; ++k) within(Iterable::Call::Kind::Zip, k);
    else
      found.push_back(in);
  };
  search(search, {{}, over});
  return found;
}

Scopes::Scopes(const Program& program) : program_(program), around_(program.statements.size()) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < program.statements.size(); ++i) {
    while (!open.empty() && program.statements[open.back()].end <= i) open.pop_back();
    around_[i] = open;
    const Statement& each = program.statements[i];
    if (has_scope(each)) open.push_back(i);
    if (each.kind == Kind::Def && each.is_generator)
      generators_[program.string(program.targets(each)[0])].push_back(i);
  }
}

std::vector<std::uint32_t> Scopes::candidates(ExprId over) const {
  const auto of = [&](const std::string& name) {
    const auto found = generators_.find(name);
    return found == generators_.end() ? std::vector<std::uint32_t>{} : found->second;
  };
  const Expr& expr = program_[over];
  if (expr.kind == ExprKind::Call) {
    const Expr& callee = program_[program_.child(over, 0)];
    if (callee.kind == ExprKind::Name || callee.kind == ExprKind::Attribute)
      if (const auto named = of(program_.string(callee)); !named.empty()) return named;
  }
  return of("__iter__");
}

const std::set<std::string>& Scopes::locals(std::uint32_t def) {
  const auto [known, is_new] = locals_.try_emplace(def);
  if (!is_new) return known->second;
  const Statement& function = program_.statements[def];
  std::set<std::string>& names = known->second;
  for (const Parameter& each : program_.parameters_of(function)) names.insert(each.name);
  for (std::uint32_t i = def + 1; i < function.end;) {
    const Statement& each = program_.statements[i];
    for (const auto& [name, binds] : target_names(program_, each))
      if (binds) names.insert(name);
    for (const ImportedName& imported : program_.imported(each)) names.insert(imported.alias);
    each_expression(each, [&](const Expr& expr) {
      if (expr.kind == ExprKind::Named) names.insert(program_.string(expr));
    });
    i = has_scope(each) ? each.end : i + 1;
  }
  return names;
}

bool Scopes::means_the_same(std::uint32_t def, std::uint32_t loop) {
  const auto functions = [&](std::uint32_t at) {  // around it, and which file it is in
    std::pair<std::vector<std::uint32_t>, std::uint32_t> result{{}, 0};
    for (const std::uint32_t each : around_[at]) {
      if (program_.statements[each].kind == Kind::Module) result.second = each;
      if (program_.statements[each].kind == Kind::Def) result.first.push_back(each);
    }
    return result;
  };
  const auto [made_in, file] = functions(def);
  const auto [run_in, other_file] = functions(loop);
  if (file != other_file || made_in.size() > run_in.size() ||
      !std::equal(made_in.begin(), made_in.end(), run_in.begin()))
    return false;
  if (!around_[loop].empty() && program_.statements[around_[loop].back()].kind == Kind::Class)
    return false;
  const std::set<std::string>& own = locals(def);
  bool same = true;
  for (std::uint32_t i = def + 1; i < program_.statements[def].end; ++i)
    each_expression(program_.statements[i], [&](const Expr& expr) {
      if (expr.kind != ExprKind::Name || own.contains(program_.string(expr))) return;
      for (std::size_t k = made_in.size(); k < run_in.size(); ++k)
        same = same && !locals(run_in[k]).contains(program_.string(expr));
    });
  return same;
}

bool Scopes::may_be_copied(std::uint32_t def) {
  const auto [known, is_new] = copied_.try_emplace(def, true);
  if (!is_new) return known->second;
  const Statement& function = program_.statements[def];
  const std::set<std::string>& own = locals(def);
  std::size_t yields = 0;
  bool fits = true;
  for (std::uint32_t i = def + 1; i < function.end; ++i) {
    const Statement& each = program_.statements[i];
    const Kind kind = each.kind;
    yields += kind == Kind::Yield || kind == Kind::YieldFrom ? 1 : 0;
    if (has_scope(each) || kind == Kind::Global || kind == Kind::Nonlocal || kind == Kind::Import ||
        ((kind == Kind::Yield || kind == Kind::YieldFrom) && each.target_count > 0) ||
        ((kind == Kind::With || kind == Kind::Try) && yields_in(i, after(program_, i))))
      fits = false;
    each_expression(each, [&](const Expr& expr) {
      const bool is_name = expr.kind == ExprKind::Name || expr.kind == ExprKind::Attribute;
      if (is_name && program_.string(expr) == "super") fits = false;
      if (expr.kind == ExprKind::Attribute && program_.string(expr).starts_with("__") &&
          !program_.string(expr).ends_with("__"))
        fits = false;
      if (expr.kind == ExprKind::Lambda)
        for (const Parameter& parameter : program_.parameters_of(program_.lambdas[expr.payload]))
          if (own.contains(parameter.name)) fits = false;
    });
  }
  return copied_[def] = fits && yields > 0 && yields <= kMostYields;
}

bool Scopes::is_endless(std::uint32_t def) const {
  for (std::uint32_t i = def + 1; i < program_.statements[def].end; ++i) {
    const Statement& each = program_.statements[i];
    if (each.kind == Kind::While && program_[each.value].kind == ExprKind::True &&
        yields_in(i, each.end))
      return true;
  }
  return false;
}

bool Scopes::yields_in(std::uint32_t begin, std::uint32_t end) const {
  return std::any_of(program_.statements.begin() + begin, program_.statements.begin() + end,
                     [](const Statement& each) {
                       return each.kind == Kind::Yield || each.kind == Kind::YieldFrom;
                     });
}

bool Scopes::defines(std::uint32_t begin, std::uint32_t end) const {
  return std::any_of(program_.statements.begin() + begin, program_.statements.begin() + end,
                     has_scope);
}

}  // namespace rewriter::ast
