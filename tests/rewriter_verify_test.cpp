// The verifier: a list is right, and each of these changes, one at a time, makes it a wrong one,
// which is what a fault of the lowering, of a pass or of a program of the user's would do.
#include <functional>
#include <gmock/gmock.h>

#include "rewriter/expr/custom.hpp"
#include "tests/list_check.hpp"

namespace {

using namespace rewriter;
using testing::HasSubstr;
using Kind = Statement::Kind;
using List = StatementList;

/// Variables: x 0, t 1, one 2, eye 3, part 4, q 5, sums 6, s 7, d 8.
constexpr const char* kText =
    "input x: (4, 6)\n"
    "t = cm.empty((4, 6))\n"
    "cm.exp(x, target=t)\n"
    "one = cm.empty((1, 1))\n"
    "one.assign(0)\n"
    "eye = cm.CUDAMatrix(np.eye(2))\n"
    "for i in range(0, 3):\n"
    "  part = t.slice(2 * i, 2 * i + 2)\n"
    "  one.assign(i)\n"
    "  q = cm.empty((i + 1, 2))\n"
    "  q.free_device_memory()\n"
    "  for k in range(0, 2):\n"
    "    one.assign(k)\n"
    "while one:\n"
    "  for j in range(0, 2):\n"
    "    one.assign(j)\n"
    "print(\"a{} {}\", 2 * 3, int(one))\n"
    "sums = cm.empty((1, 6))\n"
    "cm.fused(\"t[0:3] = t[0:3] * 2\")\n"
    "cm.fused(\"t = t + 1; sums = sum(x, axis=0)\")\n"
    "s = cm.empty((4, 6))\n"
    "d = cm.empty((4, 6))\n"
    "cm.custom(\"two_of_one\", x, ndim=(2,), targets=(s, d))\n"
    "output t: (4, 6)\n";

CustomPtr two_of_one() {
  static const CustomPtr made = define_custom({
      .name = "two_of_one",
      .operands = 1,
      .shapes =
          [](const std::vector<Dims>& dims) {
            return std::vector{dims[0], dims[0]};
          },
      .launch = [](const CustomCall&) {},
      .numpy =
          [](const auto& operands, const std::vector<double>&) {
            return std::vector{operands[0], operands[0]};
          },
  });
  return made;
}

List right() {
  two_of_one();
  return lists::parsed(kText);
}

/// The nth statement of a kind.
Statement& of(List& list, Kind kind, int n = 0) {
  for (Statement& s : list.statements)
    if (s.kind == kind && n-- == 0) return s;
  throw std::out_of_range("no such statement");
}

/// The statement of the user's operation, of which each operand and target may be rows of a matrix.
Statement& strided(List& list) {
  CustomOperation operation = *two_of_one();
  operation.strided = true;
  Statement& s = of(list, Kind::Custom);
  s.custom = std::make_shared<const CustomOperation>(std::move(operation));
  s.rows.resize(3);
  return s;
}

struct Wrong {
  std::function<void(List&)> change;
  const char* says;
};

const Wrong kWrong[] = {
    // variables and bindings
    {[](List& l) { l.variables[1].name = "a b"; }, "'a b' is not the name of a variable"},
    {[](List& l) { l.variables[1].name = "x"; }, "two variables are called x"},
    {[](List& l) { l.variables[1].shape.rows = -1; }, "t has an impossible shape, -1x6"},
    {[](List& l) {
       l.variables[1].shape = {Index{1} << 40, Index{1} << 40};
     },
     "impossible shape"},
    {[](List& l) { l.variables[1].view_of = 1; }, "t is a view of t, which owns no memory"},
    {[](List& l) { l.variables[6].view_of = 4; }, "sums is a view of part, which owns no memory"},
    {[](List& l) { l.variables[1].view_of = 99; }, "there is no variable 99"},
    {[](List& l) { l.variables[0].view_of = 1; }, "input x is a view"},
    {[](List& l) {
       l.inputs[0].dims = {2, 2, 6};
       l.inputs[0].transposed = true;
     },
     "input x is transposed, and has 3 dimensions"},
    {[](List& l) {
       l.inputs[0].dims = {6, 4};
     },
     "input x is an array of shape (6, 4), its variable x is 4x6"},
    {[](List& l) { l.inputs.push_back(l.inputs[0]); }, "two inputs have the variable x"},
    {[](List& l) { l.outputs.push_back(l.outputs[0]); }, "two outputs are called 't'"},
    {[](List& l) {
       l.outputs[0].var = 5;
       l.outputs[0].dims = {3, 2};
     },
     "its variable q is 3x2"},
    // statements of the wrong kind
    {[](List& l) { of(l, Kind::Empty).parts = of(l, Kind::Print).parts; }, "has parts to print"},
    {[](List& l) { of(l, Kind::Call).fused = of(l, Kind::Fused).fused; }, "is not fused"},
    {[](List& l) { of(l, Kind::Call).custom = two_of_one(); }, "is not a custom operation"},
    {[](List& l) { of(l, Kind::Call).targets = {1}; }, "has one target"},
    {[](List& l) { of(l, Kind::Call).rows.resize(2); }, "has one target"},
    {[](List& l) { of(l, Kind::Call).operands.clear(); }, "takes 1 operands; has 0"},
    {[](List& l) { of(l, Kind::Call).numbers = {Number(1)}; }, "takes 0 numbers; has 1"},
    {[](List& l) { of(l, Kind::Call).integers = {1}; }, "takes 0 integers; has 1"},
    {[](List& l) { of(l, Kind::Call).operands[0].transposed = true; },
     "does not accept transposed operands"},
    {[](List& l) { of(l, Kind::Constant).data = nullptr; }, "eye is a constant without data"},
    {[](List& l) {
       l.variables[3].shape = {2, 3};
     },
     "eye is 2x3, its data have 4 elements"},
    // definitions
    {[](List& l) { of(l, Kind::Empty).target = 0; }, "x is defined twice"},
    {[](List& l) { l.variables[1].view_of = 0; }, "t is a view"},
    {[](List& l) { l.variables[4].view_of = kNoVar; }, "part is not a view"},
    {[](List& l) { l.variables[4].view_of = 0; }, "part does not show the memory of t"},
    {[](List& l) {
       l.variables[5].shape = {4, 2};
     },
     "q is 3x2 at most, not 4x2"},
    {[](List& l) { l.variables[5].varying->rows.terms[0].loop = 1; },
     "depends on a loop that it is not in"},
    {[](List& l) {
       l.variables[5].varying->cols.terms = {{2, 1}};
     },
     "depends on a loop that it is not in"},
    {[](List& l) { l.variables[5].varying->rows.terms[0].factor = 0; },
     "depends on a loop that it is not in"},
    // what depends on a loop
    {[](List& l) {
       of(l, Kind::Call).terms = {{0, 1}};
     },
     "depends on no loop"},
    {[](List& l) {
       of(l, Kind::Call, 2).stretch = {{0, 1}};
     },
     "has no length"},
    {[](List& l) {
       of(l, Kind::Call, 2).terms = {{2, 1}};
     },
     "depends on a loop that it is not in"},
    {[](List& l) {
       of(l, Kind::Slice).stretch = {{2, 1}};
     },
     "depends on a loop that it is not in"},
    {[](List& l) { of(l, Kind::Call, 2).numbers = {Number(0.5)}; },
     "adds a loop's variable to 0.5, which is not whole"},
    {[](List& l) { of(l, Kind::Call, 2).numbers = {Number(0x1p63)}; }, "or not below 2^63"},
    // loops
    {[](List& l) { of(l, Kind::Loop).target = 1; }, "a loop has no target"},
    {[](List& l) { of(l, Kind::Loop).loop = of(l, Kind::End, 1).loop = 7; }, "there is no loop 7"},
    {[](List& l) { of(l, Kind::Loop).loop = of(l, Kind::End, 1).loop = -1; },
     "there is no loop -1"},
    {[](List& l) { of(l, Kind::Loop).loop = 7; }, "an End without its Loop"},
    {[](List& l) {
       l.statements.pop_back();
       of(l, Kind::End, 3) = of(l, Kind::Print);
     },
     "Loop"},
    {[](List& l) { of(l, Kind::Loop, 3).loop = of(l, Kind::End, 2).loop = 0; },
     "loop i appears twice"},
    {[](List& l) { l.loops[0].step = 0; }, "the loop over i has the step 0"},
    {[](List& l) {
       l.loops[0].start_terms = {{2, 1}};
     },
     "depends on a loop that it is not in"},
    {[](List& l) {
       l.loops[0].stop_terms = {{2, 1}};
     },
     "depends on a loop that it is not in"},
    {[](List& l) { l.loops[0].name = "1i"; }, "'1i' is not the name of a loop's variable"},
    {[](List& l) { l.loops[0].name = "x"; }, "a variable and a loop are called x"},
    {[](List& l) { l.loops[1].name = "i"; }, "nested loops both use i"},
    {[](List& l) { l.loops[0].stop = 0; }, "the loop over i never runs"},
    {[](List& l) { of(l, Kind::Loop, 2).operands[0].var = 0; }, "condition must be 1x1; got 4x6"},
    {[](List& l) { of(l, Kind::End, 3).operands.clear(); }, "takes 1 operands; has 0"},
    {[](List& l) {
       of(l, Kind::End, 3).operands[0].var = 3;
       l.variables[3].shape = {1, 1};
       of(l, Kind::Constant).data = std::make_shared<HostData>(npmat::Array<double>{{1, 1}, {1}});
     },
     "the loop ends with another condition than it begins with"},
    {[](List& l) { of(l, Kind::Free) = of(l, Kind::Call, 2); }, "the loop's body does not free q"},
    // prints
    {[](List& l) { of(l, Kind::Print).target = 1; }, "a print has no target"},
    {[](List& l) { of(l, Kind::Print).operands[0].var = 0; }, "operand must be 1x1; got 4x6"},
    {[](List& l) { of(l, Kind::Print).parts[0].text = ""; }, "has an empty or a divided string"},
    {[](List& l) {
       auto& parts = of(l, Kind::Print).parts;
       parts.insert(parts.begin(), parts[0]);
     },
     "has an empty or a divided string"},
    {[](List& l) { of(l, Kind::Print).parts[1].text = "q"; }, "'q' is not a number format"},
    {[](List& l) { of(l, Kind::Print).parts.back().operand = 1; },
     "prints an operand that it does not have"},
    {[](List& l) {
       of(l, Kind::Print).parts[1].terms = {{0, 1}};
     },
     "depends on a loop that it is not in"},
    {[](List& l) { of(l, Kind::Print).parts[1].kind = TextPart::Kind::Exception; },
     "names an exception inside a string"},
    // fused statements
    {[](List& l) { of(l, Kind::Fused).fused = nullptr; }, "is fused without a body"},
    {[](List& l) { of(l, Kind::Fused).target = 1; }, "is fused without a body"},
    {[](List& l) { of(l, Kind::Fused).targets.push_back(6); }, "has 2 targets; the body 1"},
    {[](List& l) { of(l, Kind::Fused).rows.pop_back(); }, "has rows of 1 matrices; there are 2"},
    {[](List& l) {
       of(l, Kind::Fused).rows[0]->first.terms = {{0, 1}};
     },
     "depends on a loop that it is not in"},
    {[](List& l) {
       Statement& s = of(l, Kind::Fused, 1);
       s.rows.resize(s.operands.size() + 2);
       s.rows[s.operands.size()] = Statement::Rows{{0, {}}, {1, {}}};
     },
     "what is reduced goes into a matrix of its own, not into rows of one"},
    // operations of the user's
    {[](List& l) { of(l, Kind::Custom).custom = nullptr; },
     "is a custom operation that is not defined"},
    {[](List& l) { of(l, Kind::Custom).target = 1; }, "is a custom operation that is not defined"},
    {[](List& l) { of(l, Kind::Custom).rows.resize(2); }, "has rows of 2 matrices; there are 3"},
    {[](List& l) { of(l, Kind::Custom).rows.resize(3); },
     "takes no rows of a matrix, but copies of them"},
    {[](List& l) {
       strided(l).rows[1] = Statement::Rows{{0, {}}, {1, {}}};
     },
     "does not write into rows of a matrix"},
    {[](List& l) {
       strided(l).rows[0] = Statement::Rows{{0, {{0, 1}}}, {4, {}}};
     },
     "depends on a loop that it is not in"},
    {[](List& l) {
       strided(l).rows[0] = Statement::Rows{{0, {}}, {5, {}}};
     },
     "rows 0:5 do not lie within 0:4"},
    {[](List& l) {
       of(l, Kind::Custom).terms = {{0, 1}};
     },
     "depends on no loop"},
    {[](List& l) { of(l, Kind::Custom).targets[1] = 7; }, "target s overlaps target s"},
    {[](List& l) {
       of(l, Kind::Custom).operands[0].var = 1;
       of(l, Kind::Custom).targets[0] = 1;
     },
     "target t overlaps operand t"},
    {[](List& l) { of(l, Kind::Custom).integers[0] = 1; },
     "operand x is 4x6: no array of 1 dimensions"},
    {[](List& l) { of(l, Kind::Custom).integers[0] = 3; },
     "operand x is 4x6: no array of 3 dimensions"},
    {[](List& l) { of(l, Kind::Custom).targets.pop_back(); },
     "has 1 targets; the operation 2 results"},
    {[](List& l) {
       l.variables[8].shape = {6, 4};
     },
     "target d must be 4x6; got 6x4"},
};

TEST(Verify, TheListIsRight) {
  const auto problem = find_problem(right());
  EXPECT_FALSE(problem) << problem->text;
}

TEST(Verify, SaysWhatIsWrong) {
  for (const Wrong& wrong : kWrong) {
    SCOPED_TRACE(wrong.says);
    List list = right();
    wrong.change(list);
    try {
      verify(list);
      ADD_FAILURE() << "it passes";
    } catch (const cudamat::InternalError& error) {
      EXPECT_THAT(error.what(), HasSubstr(wrong.says));
    }
  }
}

}  // namespace
