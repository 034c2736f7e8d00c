/// Launches in a graph: tensor maps are made on the host while it is captured.

#include <tegula/host/tensor_map.hpp>
#include <tegula/kernel/gemm/warp_specialized/dispatch.hpp>

#include "test/gpu/graph_checks.hpp"
#include "test/gpu/watching_runtime/watching_runtime.hpp"

#include <cstdint>
#include <cstring>

using namespace tegula;
using namespace tegula::test;
using operand_order::k_contiguous;

using tile = warp_specialized_tiles<arch::sm_90a, bfloat16>::ws128x128_2x1;
using kernel = warp_specialized_gemm<tile, k_contiguous, k_contiguous, float, test_epilogue<float>::type,
                                     output_store::tensor_copies>;

static const bool added =
    add_graph<kernel, run_warp_specialized_alone, k_contiguous, k_contiguous>("a graph of clusters");

std::string tegula::test::make_tensor_maps(int first, int count)
{
    for (int i = first; i < first + count; ++i) {
        tensor_map_parameters parameters;
        parameters.base = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(i) << 10);
        parameters.set_dimensions({64, 64}, {2, 128}, {64, 64});
        tensor_map map;
        if (status s = encode_tensor_map(map, parameters); !s)
            return s.message();
        if (std::memcmp(&map, &parameters.base, sizeof parameters.base) != 0)
            return "the map is another tensor's";
    }
    return {};
}

std::uint64_t tegula::test::second_word_of_map(long row_bytes)
{
    tensor_map_parameters parameters;
    parameters.base = reinterpret_cast<const void*>(std::uintptr_t{1} << 20);
    parameters.set_dimensions({64, 64}, {2, row_bytes}, {64, 64});
    tensor_map map;
    return encode_tensor_map(map, parameters) ? map.words[1] : ~std::uint64_t{0};
}
