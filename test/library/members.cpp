/// The members of kernels' arguments that the library of kernels describes: all of them, and where they are.

#include "library/members.hpp"

#include <tegula/attention.hpp>
#include <tegula/convolution.hpp>
#include <tegula/gemm.hpp>
#include <tegula/moe.hpp>
#include <tegula/normalization.hpp>
#include <tegula/reduction.hpp>
#include <tegula/tensor.hpp>

#include "test/catch.hpp"

using namespace tegula;
using enum operand_order;
using gpu_library::member;

namespace {

using T = bfloat16;
using cdna = arch::gfx942;
using hopper = arch::sm_90a;
using linear = epilogue::linear<T, float>;
using tile = gemm_tiles<cdna, T>::t64x64;
using plain_product = gemm_kernels<tile, T, linear>::aligned<k_contiguous, k_contiguous>;
using hopper_tile = warp_specialized_tiles<hopper, T>::ws128x128;
using hopper_product = warp_specialized_gemm<hopper_tile, k_contiguous, k_contiguous, T, linear,
                                             output_store::tensor_copies, work_partition::split_k>;
using weights =
    quantized_weights_kernels<tile, quantized<int4x2, 64>, T,
                              epilogue::chain<epilogue::scale_columns<>>>::aligned<k_contiguous, k_contiguous>;

std::size_t size_of(const std::string& type)
{
    if (type == "map")
        return sizeof(tensor_map);
    return type == "pointer" ? 8 : type == "bool" ? 1 : std::stoul(type.substr(type.find_first_of("13468"))) / 8;
}

/// What lies between the members, if it is more than an alignment leaves: a member whose name member_names.inc lacks.
template <class Arguments>
std::string missing_in()
{
    std::size_t end = 0;
    std::string before = "the beginning", found;
    const auto look = [&](std::size_t at, const std::string& name, std::size_t alignment) {
        if (at >= end + alignment)
            found += std::to_string(at - end) + " bytes behind " + before + "; ";
        if (at < end)
            found += name + " is in " + before + "; ";
    };
    for (const member& m : gpu_library::members_of<Arguments>()) {
        look(m.at, m.name, std::string(m.type) == "map" ? alignof(tensor_map) : 8);
        end = m.at + size_of(m.type);
        before = m.name;
    }
    // An object without members, such as epilogue::none, may be the last.
    look(sizeof(Arguments), "the end", alignof(Arguments) + 1);
    return found;
}

} // namespace

TEST_CASE("every member of kernels' arguments is described")
{
    using lists = attention_variant<attention_mask::lists>;
    CHECK(missing_in<plain_product::arguments>() == "");
    CHECK(missing_in<split_k_gemm<plain_product>::arguments>() == "");
    CHECK(missing_in<stream_k_gemm<plain_product>::arguments>() == "");
    CHECK(missing_in<grouped_gemm<plain_product>::arguments>() == "");
    CHECK(missing_in<hopper_product::arguments>() == "");
    CHECK(missing_in<weights::arguments>() == "");
    CHECK(missing_in<attention_kernel<attention_tile_for<cdna, T, 128, 128>, T>::arguments>() == "");
    CHECK(missing_in<attention_split_kernel<decoding_tile_for<cdna, T, 128>, T, lists>::arguments>() == "");
    CHECK(missing_in<warp_specialized_attention<warp_specialized_attention_tile_for<hopper, T, 128>, T>::arguments>() ==
          "");
    CHECK(missing_in<attention_backward_for<cdna, T, 128, 128>::arguments>() == "");
    CHECK(missing_in<warp_specialized_backward_for<hopper, T, 128, 128>::arguments>() == "");
    CHECK(missing_in<append_kernel<cdna, T, 128>::arguments>() == "");
    using convolution =
        convolution_kernels<convolution_direction::backward_weight, 3, prologue_tiles<cdna, T>::large, T, linear>;
    CHECK(missing_in<convolution::arguments>() == "");
    CHECK(missing_in<moe_arguments<T, T>>() == "");
    CHECK(missing_in<softmax_arguments<T>>() == "");
    CHECK(missing_in<softmax_backward_arguments<T>>() == "");
    CHECK(missing_in<norm_arguments<T>>() == "");
    CHECK(missing_in<norm_backward_arguments<T>>() == "");
    CHECK(missing_in<cross_entropy_arguments<T>>() == "");
    CHECK(missing_in<topk_arguments<T>>() == "");
    CHECK(missing_in<topk_softmax_arguments<T>>() == "");
    CHECK(missing_in<reduction_arguments<fold_reducer<T, plus>, T>>() == "");
    CHECK(missing_in<scan_arguments<T, plus, T>>() == "8 bytes behind the beginning; "); // plus has no member
    CHECK(missing_in<permute_arguments<T>>() == "");
    CHECK(missing_in<rotary_arguments<T>>() == "");
    CHECK(missing_in<gather_arguments<T, index_t>>() == "");
    CHECK(missing_in<pooling_arguments<T>>() == "");
}

namespace {
struct unknown
{
    long_index_t m = 0;
    long_index_t a_name_of_nothing[2] = {};
    float beta = 0.5f;
};
} // namespace

TEST_CASE("a member with a name that is in no list is missed, and defaults are those of the type")
{
    CHECK(missing_in<unknown>() == "16 bytes behind m; ");
    const std::vector<member> found = gpu_library::members_of<unknown>();
    REQUIRE(found.size() == 2);
    CHECK((found[1].name == "beta" && found[1].type == std::string("float32") && found[1].at == 24 &&
           found[1].default_value == "0.5"));
    for (const member& m : gpu_library::members_of<plain_product::arguments>())
        if (m.name == "epilogue.parts[0].alpha" || m.name == "batch")
            CHECK(m.default_value == "1");
}
