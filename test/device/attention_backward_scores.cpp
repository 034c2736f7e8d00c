// Attention backward of many changes to scores at once, of 64 to 256 columns: no spill in any of its kernels. Left out are
// boolean masks by clang 19, which spills 1 to 16 scalar registers of them on gfx942.
//
// full targets: gfx90a gfx942 gfx950 gfx1100 gfx1201 sm_80 sm_89 sm_90a
// expect gfx950 [keys]: matrix >= 8
// expect sm_80 sm_89 sm_90a [keys]: /mma\.sync\.aligned\.m16n8k16/ >= 8, /ldmatrix\.sync\.aligned\.m8n8\.x4\.trans/ >= 2
// expect gfx90a gfx942 gfx950 gfx1100 gfx1201 [keys]: loop_divisions == 0
// expect gfx90a gfx942 gfx950 gfx1100 gfx1201 [queries]: loop_divisions == 0
// expect gfx90a gfx942 gfx950 gfx1100 gfx1201 [bias]: loop_divisions == 0
// expect sm_80 sm_89 sm_90a: sass_loop_divisions == 0
// expect gfx90a clang22 [keys Li64ELi64ELi4E weightsE0 partE1]: loop_matrix_percent >= 25
// expect gfx90a clang22 [keys Li64ELi64ELi4E weightsE0 partE2]: loop_matrix_percent >= 19
// expect gfx90a clang22 [queries Li64ELi64ELi4E weightsE0]: loop_matrix_percent >= 25
// expect gfx90a clang22 [keys Li128ELi128ELi4E weightsE0 partE1]: loop_matrix_percent >= 32
// expect gfx90a clang22 [keys Li128ELi128ELi4E weightsE0 partE2]: loop_matrix_percent >= 24
// expect gfx90a clang22 [queries Li128ELi128ELi4E weightsE0]: loop_matrix_percent >= 36
// expect gfx90a clang22 [keys Li256E weightsE0 partE1]: loop_matrix_percent >= 33
// expect gfx90a clang22 [keys Li256E weightsE0 partE2]: loop_matrix_percent >= 26
// expect gfx90a clang22 [queries Li256E weightsE0]: loop_matrix_percent >= 37
// expect gfx90a clang22 [keys Li64ELi64ELi4E weightsE1 partE1]: loop_matrix_percent >= 10
// expect gfx90a clang22 [keys Li64ELi64ELi4E weightsE1 partE2]: loop_matrix_percent >= 7.9
// expect gfx90a clang22 [queries Li64ELi64ELi4E weightsE1]: loop_matrix_percent >= 8.9
// expect gfx90a clang22 [keys Li128ELi128ELi4E weightsE1 partE1]: loop_matrix_percent >= 17
// expect gfx90a clang22 [keys Li128ELi128ELi4E weightsE1 partE2]: loop_matrix_percent >= 12
// expect gfx90a clang22 [queries Li128ELi128ELi4E weightsE1]: loop_matrix_percent >= 14
// expect gfx90a clang22 [keys Li256E weightsE1 partE1]: loop_matrix_percent >= 21
// expect gfx90a clang22 [keys Li256E weightsE1 partE2]: loop_matrix_percent >= 13
// expect gfx90a clang22 [queries Li256E weightsE1]: loop_matrix_percent >= 18
// expect gfx90a clang22 [4bias Li64ELi64ELi4E weightsE0]: loop_matrix_percent >= 5.7
// expect gfx90a clang22 [4bias Li128ELi128ELi4E weightsE0]: loop_matrix_percent >= 10
// expect gfx90a clang22 [4bias Li256E weightsE0]: loop_matrix_percent >= 10
// expect gfx90a clang22 [4bias Li64ELi64ELi4E weightsE1]: loop_matrix_percent >= 3.4
// expect gfx90a clang22 [4bias Li128ELi128ELi4E weightsE1]: loop_matrix_percent >= 6.2
// expect gfx90a clang22 [4bias Li256E weightsE1]: loop_matrix_percent >= 6.4
// expect gfx942 clang22 [keys Li64ELi64ELi4E weightsE0]: loop_matrix_percent >= 17
// expect gfx942 clang22 [queries Li64ELi64ELi4E weightsE0]: loop_matrix_percent >= 13
// expect gfx942 clang22 [keys Li128ELi128ELi4E weightsE0]: loop_matrix_percent >= 23
// expect gfx942 clang22 [queries Li128ELi128ELi4E weightsE0]: loop_matrix_percent >= 20
// expect gfx942 clang22 [keys Li256E weightsE0]: loop_matrix_percent >= 22
// expect gfx942 clang22 [queries Li256E weightsE0]: loop_matrix_percent >= 18
// expect gfx942 clang22 [keys Li64ELi64ELi4E weightsE1]: loop_matrix_percent >= 7.2
// expect gfx942 clang22 [queries Li64ELi64ELi4E weightsE1]: loop_matrix_percent >= 4.3
// expect gfx942 clang22 [keys Li128ELi128ELi4E weightsE1]: loop_matrix_percent >= 11
// expect gfx942 clang22 [queries Li128ELi128ELi4E weightsE1]: loop_matrix_percent >= 7.2
// expect gfx942 clang22 [keys Li256E weightsE1]: loop_matrix_percent >= 12
// expect gfx942 clang22 [queries Li256E weightsE1]: loop_matrix_percent >= 8.8
// expect gfx942 clang22 [4bias Li64ELi64ELi4E weightsE0]: loop_matrix_percent >= 3.1
// expect gfx942 clang22 [4bias Li128ELi128ELi4E weightsE0]: loop_matrix_percent >= 5.5
// expect gfx942 clang22 [4bias Li256E weightsE0]: loop_matrix_percent >= 5.8
// expect gfx942 clang22 [4bias Li64ELi64ELi4E weightsE1]: loop_matrix_percent >= 1.7
// expect gfx942 clang22 [4bias Li128ELi128ELi4E weightsE1]: loop_matrix_percent >= 3.3
// expect gfx942 clang22 [4bias Li256E weightsE1]: loop_matrix_percent >= 3.3
// expect gfx950 [keys Li64ELi64ELi4E weightsE0]: loop_matrix_percent >= 5.4
// expect gfx950 [queries Li64ELi64ELi4E weightsE0]: loop_matrix_percent >= 7.4
// expect gfx950 [keys Li128ELi128ELi4E weightsE0]: loop_matrix_percent >= 10
// expect gfx950 [queries Li128ELi128ELi4E weightsE0]: loop_matrix_percent >= 12
// expect gfx950 [keys Li256E weightsE0 partE1]: loop_matrix_percent >= 15
// expect gfx950 [keys Li256E weightsE0 partE2]: loop_matrix_percent >= 10
// expect gfx950 [queries Li256E weightsE0]: loop_matrix_percent >= 17
// expect gfx950 [keys Li64ELi64ELi4E weightsE1]: loop_matrix_percent >= 3.1
// expect gfx950 [queries Li64ELi64ELi4E weightsE1]: loop_matrix_percent >= 2.1
// expect gfx950 [keys Li128ELi128ELi4E weightsE1]: loop_matrix_percent >= 5.7
// expect gfx950 [queries Li128ELi128ELi4E weightsE1]: loop_matrix_percent >= 4.2
// expect gfx950 [keys Li256E weightsE1 partE1]: loop_matrix_percent >= 7.1
// expect gfx950 [keys Li256E weightsE1 partE2]: loop_matrix_percent >= 4.6
// expect gfx950 [queries Li256E weightsE1]: loop_matrix_percent >= 6.6
// expect gfx950 [4bias Li64ELi64ELi4E weightsE0]: loop_matrix_percent >= 1.5
// expect gfx950 [4bias Li128ELi128ELi4E weightsE0]: loop_matrix_percent >= 2.7
// expect gfx950 [4bias Li256E weightsE0]: loop_matrix_percent >= 4.8
// expect gfx950 [4bias Li64ELi64ELi4E weightsE1]: loop_matrix_percent >= 0.8
// expect gfx950 [4bias Li128ELi128ELi4E weightsE1]: loop_matrix_percent >= 1.6
// expect gfx950 [4bias Li256E weightsE1]: loop_matrix_percent >= 2.5
// expect sm_90a [4biasI ELi16ELi32ELi256ELi256ELi8ELi1E maskE3 biasE1 weightsE1]: sass_issue_percent <= 421, sass_shared_percent <= 349
// expect sm_90a [4biasI ELi32ELi32ELi256ELi128ELi8ELi1E maskE3 biasE1 weightsE1]: sass_issue_percent <= 559, sass_shared_percent <= 364
// expect sm_90a [4biasI ELi32ELi32ELi256ELi256ELi8ELi1E maskE1 biasE1 weightsE0]: sass_issue_percent <= 188, sass_shared_percent <= 361
// expect sm_90a [4biasI ELi32ELi32ELi256ELi256ELi8ELi1E maskE2 biasE1 weightsE1]: sass_issue_percent <= 407, sass_shared_percent <= 361
// expect sm_90a [4biasI ELi64ELi32ELi128ELi128ELi8ELi1E maskE1 biasE1 weightsE0]: sass_issue_percent <= 359, sass_shared_percent <= 396
// expect sm_90a [4biasI ELi64ELi32ELi128ELi128ELi8ELi1E maskE2 biasE1 weightsE1]: sass_issue_percent <= 796, sass_shared_percent <= 396
// expect sm_90a [4biasI ELi64ELi32ELi128ELi128ELi8ELi1E maskE3 biasE1 weightsE1]: sass_issue_percent <= 803, sass_shared_percent <= 396
// expect sm_90a [4biasI ELi64ELi32ELi64ELi64ELi4ELi1E maskE1 biasE1 weightsE0]: sass_issue_percent <= 661, sass_shared_percent <= 490
// expect sm_90a [4biasI ELi64ELi32ELi64ELi64ELi4ELi1E maskE2 biasE1 weightsE1]: sass_issue_percent <= 1528, sass_shared_percent <= 490
// expect sm_90a [4biasI ELi64ELi32ELi64ELi64ELi4ELi1E maskE3 biasE1 weightsE1]: sass_issue_percent <= 1532, sass_shared_percent <= 490
// expect sm_90a [4keysI ELi16ELi32ELi256ELi256ELi8ELi1E maskE3 biasE1 weightsE1]: sass_issue_percent <= 507, sass_shared_percent <= 344
// expect sm_90a [4keysI ELi16ELi32ELi256ELi256ELi8ELi1E maskE3 biasE2 weightsE1]: sass_issue_percent <= 520, sass_shared_percent <= 344
// expect sm_90a [4keysI ELi32ELi32ELi256ELi128ELi8ELi1E maskE3 biasE1 weightsE1]: sass_issue_percent <= 555, sass_shared_percent <= 333
// expect sm_90a [4keysI ELi32ELi32ELi256ELi256ELi8ELi1E maskE1 biasE0 weightsE1]: sass_issue_percent <= 336, sass_shared_percent <= 330
// expect sm_90a [4keysI ELi32ELi32ELi256ELi256ELi8ELi1E maskE1 biasE1 weightsE0]: sass_issue_percent <= 210, sass_shared_percent <= 330
// expect sm_90a [4keysI ELi32ELi32ELi256ELi256ELi8ELi1E maskE2 biasE1 weightsE1]: sass_issue_percent <= 452, sass_shared_percent <= 330
// expect sm_90a [4keysI ELi64ELi32ELi128ELi128ELi8ELi1E maskE1 biasE0 weightsE1]: sass_issue_percent <= 530, sass_shared_percent <= 314
// expect sm_90a [4keysI ELi64ELi32ELi128ELi128ELi8ELi1E maskE1 biasE1 weightsE0]: sass_issue_percent <= 317, sass_shared_percent <= 314
// expect sm_90a [4keysI ELi64ELi32ELi128ELi128ELi8ELi1E maskE2 biasE1 weightsE1]: sass_issue_percent <= 720, sass_shared_percent <= 314
// expect sm_90a [4keysI ELi64ELi32ELi128ELi128ELi8ELi1E maskE3 biasE1 weightsE1]: sass_issue_percent <= 742, sass_shared_percent <= 314
// expect sm_90a [4keysI ELi64ELi32ELi128ELi128ELi8ELi1E maskE3 biasE2 weightsE1]: sass_issue_percent <= 761, sass_shared_percent <= 314
// expect sm_90a [4keysI ELi64ELi32ELi64ELi64ELi4ELi1E maskE1 biasE0 weightsE1]: sass_issue_percent <= 732, sass_shared_percent <= 321
// expect sm_90a [4keysI ELi64ELi32ELi64ELi64ELi4ELi1E maskE1 biasE1 weightsE0]: sass_issue_percent <= 436, sass_shared_percent <= 321
// expect sm_90a [4keysI ELi64ELi32ELi64ELi64ELi4ELi1E maskE2 biasE1 weightsE1]: sass_issue_percent <= 1041, sass_shared_percent <= 321
// expect sm_90a [4keysI ELi64ELi32ELi64ELi64ELi4ELi1E maskE3 biasE1 weightsE1]: sass_issue_percent <= 1102, sass_shared_percent <= 321
// expect sm_90a [4keysI ELi64ELi32ELi64ELi64ELi4ELi1E maskE3 biasE2 weightsE1]: sass_issue_percent <= 1103, sass_shared_percent <= 321
// expect sm_90a [7queriesI ELi16ELi32ELi256ELi256ELi8ELi1E maskE3 biasE1 weightsE1]: sass_issue_percent <= 316, sass_shared_percent <= 324
// expect sm_90a [7queriesI ELi16ELi32ELi256ELi256ELi8ELi1E maskE3 biasE2 weightsE1]: sass_issue_percent <= 318, sass_shared_percent <= 324
// expect sm_90a [7queriesI ELi32ELi32ELi256ELi128ELi8ELi1E maskE3 biasE1 weightsE1]: sass_issue_percent <= 413, sass_shared_percent <= 314
// expect sm_90a [7queriesI ELi32ELi32ELi256ELi256ELi8ELi1E maskE1 biasE0 weightsE1]: sass_issue_percent <= 236, sass_shared_percent <= 317
// expect sm_90a [7queriesI ELi32ELi32ELi256ELi256ELi8ELi1E maskE1 biasE1 weightsE0]: sass_issue_percent <= 141, sass_shared_percent <= 317
// expect sm_90a [7queriesI ELi32ELi32ELi256ELi256ELi8ELi1E maskE2 biasE1 weightsE1]: sass_issue_percent <= 328, sass_shared_percent <= 317
// expect sm_90a [7queriesI ELi64ELi32ELi128ELi128ELi8ELi1E maskE1 biasE0 weightsE1]: sass_issue_percent <= 388, sass_shared_percent <= 310
// expect sm_90a [7queriesI ELi64ELi32ELi128ELi128ELi8ELi1E maskE1 biasE1 weightsE0]: sass_issue_percent <= 216, sass_shared_percent <= 310
// expect sm_90a [7queriesI ELi64ELi32ELi128ELi128ELi8ELi1E maskE2 biasE1 weightsE1]: sass_issue_percent <= 553, sass_shared_percent <= 310
// expect sm_90a [7queriesI ELi64ELi32ELi128ELi128ELi8ELi1E maskE3 biasE1 weightsE1]: sass_issue_percent <= 502, sass_shared_percent <= 310
// expect sm_90a [7queriesI ELi64ELi32ELi128ELi128ELi8ELi1E maskE3 biasE2 weightsE1]: sass_issue_percent <= 514, sass_shared_percent <= 310
// expect sm_90a [7queriesI ELi64ELi32ELi64ELi64ELi4ELi1E maskE1 biasE0 weightsE1]: sass_issue_percent <= 599, sass_shared_percent <= 314
// expect sm_90a [7queriesI ELi64ELi32ELi64ELi64ELi4ELi1E maskE1 biasE1 weightsE0]: sass_issue_percent <= 309, sass_shared_percent <= 314
// expect sm_90a [7queriesI ELi64ELi32ELi64ELi64ELi4ELi1E maskE2 biasE1 weightsE1]: sass_issue_percent <= 874, sass_shared_percent <= 314
// expect sm_90a [7queriesI ELi64ELi32ELi64ELi64ELi4ELi1E maskE3 biasE1 weightsE1]: sass_issue_percent <= 792, sass_shared_percent <= 314
// expect sm_90a [7queriesI ELi64ELi32ELi64ELi64ELi4ELi1E maskE3 biasE2 weightsE1]: sass_issue_percent <= 826, sass_shared_percent <= 314

#include <tegula/kernel/attention/soft_cap.hpp>

#include "test/device/attention_gradients.hpp"

namespace tegula {

template <index_t D, index_t ValueDim, attention_mask Mask, attention_bias Bias, attention_weights Weights,
          class Score = unchanged_score>
void keep(const void**& kept)
{
    using kernels =
        attention_backward_for<target, bfloat16, D, ValueDim, attention_variant<Mask, Bias, Weights>, bfloat16, Score>;
    keep_gradients<kernels>(kept);
    if constexpr (Bias == attention_bias::tensor)
        *kept++ = reinterpret_cast<const void*>(bias<typename kernels::bias>);
}

template <index_t D, index_t ValueDim>
void keep_changes(const void**& kept)
{
    using enum attention_mask;
    using attention_bias::tensor;
    constexpr attention_weights all = attention_weights::all, dropped = attention_weights::dropped;
#if !defined(__clang__) || __clang_major__ >= 22
    keep<D, ValueDim, boolean, tensor, dropped>(kept);
    keep<D, ValueDim, boolean, attention_bias::alibi, dropped, soft_cap<target>>(kept);
#endif
    keep<D, ValueDim, band, attention_bias::none, dropped>(kept);
    keep<D, ValueDim, band, tensor, all, soft_cap<target>>(kept);
    keep<D, ValueDim, lists, tensor, dropped, soft_cap<target>>(kept);
}

void keep_all(const void** kept)
{
    keep_changes<64, 64>(kept);
    keep_changes<128, 128>(kept);
    keep_changes<256, 256>(kept);
    keep<192, 128, attention_mask::boolean, attention_bias::tensor, attention_weights::dropped, soft_cap<target>>(kept);
}

} // namespace tegula
