#pragma once

// How the kernels that are shipped as code objects are started: for one product, and for each kernel as far as it holds
// for all.

#include "argument_fields.hpp"
#include "kernels.hpp"

#include <cstring>

namespace gemm_example {

/// One launch. Grid and block have one dimension.
struct launch_plan
{
    tegula::status status; ///< why the product cannot be computed; the rest then means nothing
    kernel_words words;
    long_index_t blocks = 0;
    int threads = 0; ///< of a block
    long shared_bytes = 0;
    std::vector<std::byte> arguments;   ///< pointers are 0
    std::vector<argument_field> fields; ///< of the arguments
};

/// A shipped kernel, whatever the product.
struct shipped_row
{
    std::string arch;
    kernel_words words;
    int threads;
    long shared_bytes;
    long_index_t block_m, block_n, block_k;
    long_index_t pass_rows; ///< of a kernel that sums parts: rows of a tile to a block; else 0
    std::string a_type, b_type, c_type;
    int argument_bytes;
    std::vector<argument_field> fields;
    int product_bytes; ///< grouped: of one element of `products`; else 0
    std::vector<argument_field> product_fields;
};

/// Each architecture adds its own before main begins.
bool add_shipped(std::vector<shipped_row> rows);

/// Prints all of --arch, or of all architectures, as JSON.
void list_shipped(const std::string& arch);
/// Prints the plan as JSON; `p` tells how large the matrices are.
void print_plan(const kernel_entry& entry, const launch_plan& plan, const problem& p);

/// The bytes of the arguments, without their pointers.
template <class Arguments>
std::vector<std::byte> bytes_of(const Arguments& args, const std::vector<argument_field>& fields)
{
    std::vector<std::byte> bytes(sizeof(args));
    for (const argument_field& f : fields) {
        const std::size_t size = f.type == "i64" ? 8 : f.type == "bool" ? 1 : f.type == "pointer" ? 0 : 4;
        const auto at = static_cast<std::size_t>(f.offset);
        std::memcpy(bytes.data() + at, reinterpret_cast<const std::byte*>(&args) + at, size);
    }
    return bytes;
}

template <class Inputs, class TileName>
launch_plan plan_launch(const problem& p)
{
    using input = typename Inputs::type;
    using kernels = tegula::gemm_kernels<tile_of<Inputs, TileName>, tegula::accumulator_of<input>, epilogue_of<input>>;
    const auto args = make_arguments<input>(p);
    launch_plan plan;
    if (plan.status = tegula::can_implement(args); !plan.status)
        return plan;
    kernels::dispatch(args, [&](auto kernel) {
        using chosen = decltype(kernel);
        const bool any = chosen::order_a == operand_order::any;
        plan.words = {Inputs::name, any ? element_wise_owner<Inputs, TileName>::name : TileName::name, "plain",
                      chosen::order_a, chosen::order_b};
        plan.blocks = chosen::blocks(args);
        plan.threads = chosen::block_threads;
        plan.shared_bytes = chosen::shared_bytes;
        plan.fields = describe_arguments(args);
        plan.arguments = bytes_of(args, plan.fields);
    });
    return plan;
}

} // namespace gemm_example
