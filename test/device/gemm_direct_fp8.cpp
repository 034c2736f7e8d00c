// fp8 GEMM of large tiles on gfx950: straight into shared memory with 128 bytes of k a stage, 256 x 256 by eight waves in two
// stages and 256 x 128 by four in three. Instructions have 32 rows and 64 of k, so that half a stage is a step of k.
//
// targets: gfx950
// expect *: /buffer_load_dwordx4 .* lds/ >= 16, /v_mfma_f32_32x32x64_f8f6f4/ >= 32
// expect * [along_k]: wide_shared_load, wide_global_store, loop_per_hundred <= 540
// expect * [along_rows]: /ds_read_b64_tr_b8/ >= 96, /v_perm_b32/ == 0, loop_per_hundred <= 600
// expect * [Li256ELi256ELi128ELi2E]: registers <= 256
//
// With two stages the barrier of a step waits for the loads of the next tile, which had one step. With three they have two.
// expect * [Li256ELi256ELi128ELi2E]: loop_matrix == 32, loop_load_drains == 2, loop_matrix_percent >= 79
// expect * [Li256ELi128ELi128ELi2E]: loop_matrix == 48, loop_load_drains == 0, loop_matrix_percent >= 63
// expect * [along_k Li256ELi256ELi128ELi2E]: loop_matrix_percent >= 87
// expect * [along_k Li256ELi128ELi128ELi2E]: loop_matrix_percent >= 74

#include "test/device/gemm_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    using tiles = gemm_tiles<target, float8_e4m3>;
    *kept++ = keep_along_k<tiles::t256x256, float>();
    *kept++ = keep_along_rows<tiles::t256x256, float>();
    *kept++ = keep_along_k<tiles::t256x128, float>();
    *kept++ = keep_along_rows<tiles::t256x128, float>();
}

} // namespace tegula
