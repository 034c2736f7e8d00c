// Convolution of images.

#include "convolution_problem.hpp"
#include "operands.hpp"
#include "operations.hpp"
#include "results.hpp"
#include "selection.hpp"

#include "examples/common/arrays.hpp"

#include <tegula/reference/convolution.hpp>

namespace ops_example {

using namespace examples;

namespace {

void check_rank(const operand& x, const char* what)
{
    if (x.shape.size() != 4)
        throw bad_input(x.text() + "; it must have four dimensions, " + what);
}

/// The sizes, from the arrays and the options.
tegula::convolution_shape<2> read_shape(const options& o, const operand& x, const operand& w)
{
    check_rank(x, "images, rows, columns, channels");
    check_rank(w, "filters, rows, columns, channels of a group");
    tegula::convolution_shape<2> s;
    s.images = x.shape[0];
    s.channels = x.shape[3];
    s.filters = w.shape[0];
    s.groups = o.groups;
    const bool four = o.padding.size() == 4;
    if (!four && o.padding.size() != 2)
        throw bad_input("--padding has " + std::to_string(o.padding.size()) +
                        " numbers; it takes two, rows and columns on each side, or four: above, below, left and right");
    tegula::array<long_index_t, 2> behind{};
    for (int i = 0; i < 2; ++i) {
        const auto at = static_cast<std::size_t>(i);
        s.image[i] = x.shape[at + 1];
        s.filter[i] = w.shape[at + 1];
        s.stride[i] = o.stride[at];
        s.padding[i] = o.padding[four ? 2 * at : at];
        behind[i] = o.padding[four ? 2 * at + 1 : at];
        if (behind[i] < 0 || behind[i] >= tegula::convolution_checks::position_limit)
            throw bad_input("--padding has " + std::to_string(behind[i]) + "; it must be from 0 to " +
                            std::to_string(tegula::convolution_checks::position_limit - 1));
        s.dilation[i] = o.dilation[at];
    }
    if (const tegula::status wrong = tegula::convolution_checks::check_shape(s); !wrong)
        throw bad_input(wrong.message());
    s.output = output_lengths(s, behind);
    if (const tegula::status wrong = tegula::convolution_checks::check_shape(s); !wrong)
        throw bad_input(wrong.message());
    if (w.shape[3] != s.group_channels())
        throw bad_input(w.text() + "; its last dimension must be " + std::to_string(s.group_channels()) +
                        ", the channels of --in over --groups");
    return s;
}

/// Each output against the sum in double; products of rounded inputs are added up in float.
tegula::error_report verify(const tegula::convolution_shape<2>& s, const operand& x, const operand& w,
                            const std::vector<float>& y)
{
    const auto exact =
        tegula::reference_convolution(tegula::convolution_direction::forward, s, {x.values.begin(), x.values.end()},
                                      {w.values.begin(), w.values.end()});
    const double roundings = static_cast<double>(s.taps() * s.group_channels() + 1) * tegula::float_truncation_unit;
    return compare(
        y, exact.values, [&](std::size_t i) { return roundings * exact.magnitudes[i] + 0x1p-120; },
        [&](std::size_t i) { return std::isfinite(exact.magnitudes[i]) ? exact.magnitudes[i] : 0; });
}

outcome run_convolution(const options& o)
{
    const auto s = select_kernel<convolution_problem>(o);
    const operand x = read_operand("--in", o.in, s.rounding);
    const operand w = read_operand("--weight", o.weight, s.rounding);
    convolution_problem p;
    p.type = s.kernel->element;
    p.shape = read_shape(o, x, w);
    with_type(p.type, [&](auto tag) {
        using type = typename decltype(tag)::type;
        p.in = p.add_input<type>(x.values);
        p.weight = p.add_input<type>(w.values);
    });
    p.out = p.add_output<float>(p.shape.output_pixels() * p.shape.filters);
    outcome result;
    result.shape = x.shape;
    compute(s, p, result);
    const std::vector<float> y = p.values<float>(p.out);
    const std::vector<long_index_t> shape = {p.shape.images, p.shape.output[0], p.shape.output[1], p.shape.filters};
    result.outputs.push_back({"--out", o.out, tegula::make_npy_array<float>(shape, y), {}});
    if (o.verify && result.run.status)
        result.outputs.back().errors = verify(p.shape, x, w, y);
    return result;
}

const bool added = add_operations({
    {"conv2d",
     "convolution of images x rows x columns x channels with --weight, filters x rows x columns x channels / groups",
     {"--weight"},
     {"--stride", "--padding", "--dilation", "--groups"},
     &run_convolution},
});

} // namespace
} // namespace ops_example
