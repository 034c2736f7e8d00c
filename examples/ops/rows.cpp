// Operations on the rows of an array: softmax and norms.

#include "operands.hpp"
#include "operations.hpp"
#include "results.hpp"
#include "rows_problem.hpp"
#include "selection.hpp"

#include "examples/common/arrays.hpp"

namespace ops_example {

using namespace examples;

namespace {

outcome run_softmax(const options& o)
{
    const selection<row_problem> s = select_kernel<row_problem>(o);
    const operand x = read_operand("--in", o.in, s.kernel->element);
    row_problem p;
    p.type = s.kernel->element;
    p.axis = find_axis("--axis", o.axis, x);
    p.lengths = x.shape;
    p.strides = strides_of(x.shape);
    p.in = with_type(p.type, [&](auto tag) { return p.add_input<typename decltype(tag)::type>(x.values); });
    p.out = p.add_output<float>(count(x.shape));
    outcome result;
    result.shape = x.shape;
    compute(s, p, result);
    const std::vector<float> y = p.values<float>(p.out);
    result.outputs.push_back({"--out", o.out, tegula::make_npy_array<float>(x.shape, y), {}});
    return result;
}

const bool added = add_operations({
    {"softmax", "exp(x) over its sum along --axis", {}, {"--axis"}, &run_softmax},
});

} // namespace
} // namespace ops_example
