// Attention by tensor copies over a paged cache: copies of pieces of tiles, each of a page that the copying lane looks up,
// three consumers or two, of 16 and of 8 bits.
//
// full targets: sm_90a sm_100a
// expect sm_90a: /wgmma\.mma_async/ >= 8, registers <= 168, sass/^UTMALDG\.4D/ >= 4, /fence\.proxy\.async/ >= 1
// expect sm_100a: /tcgen05\.mma/ >= 8, sass/^UTMALDG\.4D/ >= 4, /fence\.proxy\.async/ >= 1
// A piece of a page a copy: a tile that is one page.
// expect sm_90a [ELi128ELi128ELi128E]: sass_issue_percent <= 48, sass_shared_percent <= 88
// expect sm_90a [ELi64ELi64E]: sass_issue_percent <= 89, sass_shared_percent <= 82
// expect sm_90a [ELi256ELi256E]: sass_issue_percent <= 33, sass_shared_percent <= 95
// expect sm_90a [e4m3]: sass_issue_percent <= 173, sass_shared_percent <= 117
// expect sm_100a [ELi128ELi128ELi128E]: sass_issue_percent <= 79, sass_shared_percent <= 100
// expect sm_100a [ELi64ELi64E]: sass_issue_percent <= 148, sass_shared_percent <= 100
// expect sm_100a [ELi256ELi256E]: sass_issue_percent <= 63, sass_shared_percent <= 150

#include <tegula/core/float8.hpp>
#include <tegula/kernel/attention/tcgen05/kernel.hpp>
#include <tegula/kernel/attention/warp_specialized/kernel.hpp>

#include "test/device/attention_words.hpp"

namespace tegula {

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    pages_by_roles(const __grid_constant__ typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

template <class T, index_t D, attention_mask Mask = attention_mask::band>
const void* of_pages()
{
    constexpr auto any = attention_sequences::of_any_length;
    using variant = attention_variant<Mask, attention_bias::none, attention_weights::all, attention_cache::paged>;
    using O = std::conditional_t<sizeof(T) == 1, half, T>;
    if constexpr (target::chip().tensor_columns > 0) {
        using kernel =
            tcgen05_attention<tcgen05_attention_tile_for<arch::sm_100a, T, D>, O, variant, unchanged_score, any>;
        return reinterpret_cast<const void*>(pages_by_roles<kernel>);
    } else {
        using kernel = warp_specialized_attention<warp_specialized_attention_tile_for<target, T, D>, O, variant,
                                                  unchanged_score, any>;
        return reinterpret_cast<const void*>(pages_by_roles<kernel>);
    }
}

void keep_all(const void** kept)
{
    *kept++ = of_pages<bfloat16, 128>();
    *kept++ = of_pages<half, 64, attention_mask::none>();
    *kept++ = of_pages<bfloat16, 256>();
    if constexpr (target::chip().tensor_columns == 0)
        *kept++ = of_pages<float8_e4m3, 128>();
}

} // namespace tegula
