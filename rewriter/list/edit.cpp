#include "rewriter/list/edit.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace rewriter {

using SKind = Statement::Kind;

void remove_marked(StatementList& list, const std::vector<bool>& marked) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.statements.size(); ++i) {
    if (marked[i]) continue;
    if (kept != i) list.statements[kept] = std::move(list.statements[i]);
    ++kept;
  }
  list.statements.resize(kept);
}

void free_after_last_use(StatementList& list) {
  const Loops loops = loops_of(list);
  const LoopNesting nesting = loop_nesting(list);
  const Uses uses(list);
  const std::size_t n = list.statements.size();
  Table<std::vector<Position>> frees_after(n);
  for (std::size_t var = 0; var < list.variables.size(); ++var) {
    if (list.variables[var].view_of != kNoVar) continue;
    const Uses::Memory& memory = uses.of(static_cast<Var>(var));
    if (memory.freed == kNowhere) continue;
    const int block = loops.innermost[memory.made];
    Position at = std::max(memory.made, memory.last_mention());
    if (at >= 0 && list.statements[at].kind == SKind::Loop)  // its condition
      at = static_cast<Position>(nesting.partner[static_cast<std::size_t>(at)]);
    for (int loop = loops.innermost[at]; loop != block; loop = loops.bodies[loop].around)
      at = loops.bodies[loop].end;
    frees_after[at].push_back(memory.freed);
  }
  std::vector<Statement> statements;
  statements.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const SourceLocation where = list.statements[i].where;
    if (list.statements[i].kind != SKind::Free) statements.push_back(std::move(list.statements[i]));
    std::sort(frees_after[i].begin(), frees_after[i].end());
    for (const Position free : frees_after[i]) {
      statements.push_back(std::move(list.statements[free]));
      statements.back().where = where;
    }
  }
  list.statements = std::move(statements);
}

void add_frees(StatementList& list) {
  Table<bool> ends(list.variables.size(), false);
  for (const Statement& s : list.statements)
    if (makes_memory(s)) ends[s.target] = true;
  for (const Binding& output : list.outputs) ends[owner(list, output.var)] = false;
  for (std::size_t var = 0; var < ends.size(); ++var) {
    if (!ends[var]) continue;
    Statement& free = list.statements.emplace_back();
    free.kind = SKind::Free;
    free.target = static_cast<Var>(var);
  }
  free_after_last_use(list);
}

namespace {

void number_variables(StatementList& list) {
  Table<Var> number(list.variables.size(), kNoVar);
  std::vector<Variable> variables;
  const auto define = [&](Var var) {
    number[var] = static_cast<Var>(variables.size());
    variables.push_back(std::move(list.variables[var]));
  };
  const auto renumber = [&](Var& var) {
    if (var != kNoVar) var = number[var];
  };
  for (const Binding& input : list.inputs) define(input.var);
  for (const Statement& s : list.statements)
    if (defines(s)) define(s.target);
  for (Variable& variable : variables) renumber(variable.view_of);
  for (Binding& input : list.inputs) renumber(input.var);
  for (Binding& output : list.outputs) renumber(output.var);
  for (Statement& s : list.statements) for_each_variable(s, renumber);
  list.variables = std::move(variables);
}

void number_loops(StatementList& list) {
  Table<int> number(list.loops.size(), -1);
  std::vector<ListLoop> loops;
  const auto renumber = [&](int& loop) { loop = number[loop]; };
  const auto renumber_terms = [&](ListTerms& terms) {
    for (ListTerm& term : terms) renumber(term.loop);
  };
  for (Statement& s : list.statements) {
    if (s.kind == SKind::Loop) {
      number[s.loop] = static_cast<int>(loops.size());
      loops.push_back(std::move(list.loops[s.loop]));
      renumber_terms(loops.back().start_terms);
      renumber_terms(loops.back().stop_terms);
    }
    if (s.kind == SKind::Loop || s.kind == SKind::End) renumber(s.loop);
    for_each_terms(s, renumber_terms);
  }
  for (Variable& variable : list.variables) {
    if (!variable.varying) continue;
    renumber_terms(variable.varying->rows.terms);
    renumber_terms(variable.varying->cols.terms);
  }
  list.loops = std::move(loops);
}

void drop_empty_loops(StatementList& list) {
  std::vector<Statement> statements;
  for (Statement& s : list.statements) {
    if (s.kind == SKind::End && statements.back().kind == SKind::Loop)
      statements.pop_back();
    else
      statements.push_back(std::move(s));
  }
  list.statements = std::move(statements);
}

}  // namespace

void number_anew(StatementList& list) {
  drop_empty_loops(list);
  number_variables(list);
  number_loops(list);
}

StatementList allocate_before_loops(const StatementList& list) {
  StatementList result = list;
  result.statements.clear();
  std::vector<Statement> loop, after;
  Table<bool> moved(list.variables.size(), false);
  int depth = 0;
  for (const Statement& s : list.statements) {
    depth += s.kind == SKind::Loop;
    if (depth == 0) {
      result.statements.push_back(s);
    } else if (s.kind == SKind::Empty && !list.variables[s.target].varying) {
      result.statements.push_back(s);
      moved[s.target] = true;
    } else {
      const bool ends_moved = s.kind == SKind::Free && moved[s.target];
      (ends_moved ? after : loop).push_back(s);
    }
    if (s.kind == SKind::End && --depth == 0)
      for (auto* part : {&loop, &after}) {
        std::move(part->begin(), part->end(), std::back_inserter(result.statements));
        part->clear();
      }
  }
  drop_empty_loops(result);
  return result;
}

Names names_beside(const StatementList& list) {
  Names names;
  for (const Variable& variable : list.variables) names.keep(variable.name);
  for (const Loop& loop : list.loops) names.keep(loop.name);
  return names;
}

bool has_given_name(const StatementList& list, Var var) {
  const std::string_view name = name_of(list, var);
  return name.size() < 2 || name[0] != 't' ||
         name.find_first_not_of("0123456789", 1) != std::string_view::npos;
}

const std::string& better_name(const StatementList& list, Var first, Var second) {
  const auto worth = [&](Var var) {
    for (const Binding& output : list.outputs)
      if (output.var == var && output.name == name_of(list, var)) return 2;
    return has_given_name(list, var) ? 1 : 0;
  };
  return name_of(list, worth(second) > worth(first) ? second : first);
}

}  // namespace rewriter
