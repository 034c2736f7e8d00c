#pragma once

// The tensors of an attention: read or made up, rounded, and laid out as the kernel is to find them.

#include "options.hpp"
#include "problem.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace attention_example {

/// A tensor in C order.
struct host_tensor
{
    std::array<long_index_t, 4> shape = {}; ///< batch, heads, rows, columns
    std::vector<float> values;              ///< empty where there is none

    bool empty() const { return values.empty(); }
};

struct operands
{
    host_tensor q, k, v, bias, d_o;               ///< bias: -inf where a mask or the lengths hide a key
    long_index_t seq_k = 0;                       ///< keys of a sequence, those of its pages where K and V are a cache
    std::vector<index_t> page_table, key_lengths; ///< of a cache in pages; no lengths: seq_k of each
    bool in_pages = false;
    bool has_bias = false;
    tegula::attention_band band = {}; ///< of the options, or none where the bias has it
    bool has_gradient = false;        ///< d_o is there: the backward pass is wanted
};

/// Reads or makes up Q, K, V and the bias and checks that they fit together. Throws examples::bad_input.
operands read_operands(const options& o);

/// The first infinity or NaN of Q, K and V, as "Q[0, 1, 2, 3] is NaN" with `how` after it; empty if there is none.
std::string find_not_finite(const operands& x, const std::string& how);

/// Rounds Q, K, V and dO to `e`, those with a scale divided by it.
void round_to(element e, const options& o, operands& x);

/// A tensor in the kernel's memory: rows start at multiples of 16 bytes, and the columns up to there are zeros.
struct device_tensor
{
    std::vector<std::byte> data; ///< with 16 bytes more, so that the first row can start at a multiple of 16
    long_index_t batch_stride = 0, head_stride = 0, row_stride = 0;

    std::byte* first_row();
};

/// The tensors and the arguments that name them; not to be copied.
struct memory_of_problem
{
    device_tensor q, k, v, o;
    device_tensor o_of_type, d_o, dq, dk, dv; ///< of the backward pass
    std::vector<float> lse;
    tegula::attention_arguments<void, float> arguments;
    float scales[3] = {1, 1, 1}; ///< of 8-bit Q, K and V
    float cap = 0;
    bool bias_for_gradients = false; ///< the bias is a zero for the kernels of gradients, which add one in any case
    bool bias_is_zero = false;       ///< arguments.bias is a single 0
    element type;

    memory_of_problem(const options& o, const operands& x, element e);
    memory_of_problem(const memory_of_problem&) = delete;

    /// The forward pass.
    problem get() const;
    /// The backward pass, with O as the forward pass has left it.
    problem get_backward();
};

} // namespace attention_example
