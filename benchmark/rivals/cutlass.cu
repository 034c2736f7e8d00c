// One product of CUTLASS for sm_90a, for checkouts.py. Its builders make it from a schedule. C has 16 bits. Rows of A and columns of B
// are contiguous along k. A cluster has two blocks, and there are as many stages as fit.
//
// RIVAL_TYPE, RIVAL_SCHEDULE      a type of cutlass; a schedule of cutlass::gemm and the epilogue's that goes with it
// RIVAL_COLUMNS, RIVAL_K          of a block, which has 128 rows; k of a step
// RIVAL_SCALED                    defined: a scale for each row of A and 128 columns of B, for each 128 of k

#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>

#define JOINED_OF(x, y) x##y
#define JOINED(x, y) JOINED_OF(x, y)

using element = cutlass::RIVAL_TYPE;
using result = cutlass::bfloat16_t;
using tile = cute::Shape<cute::_128, JOINED(cute::_, RIVAL_COLUMNS), JOINED(cute::_, RIVAL_K)>;
using cluster = cute::Shape<cute::_2, cute::_1, cute::_1>;
using rows = cutlass::layout::RowMajor;
using columns = cutlass::layout::ColumnMajor;

#ifdef RIVAL_SCALED
using scales = cutlass::detail::Sm90BlockwiseScaleConfig<1, 128, 128>;
using a_layout = cute::tuple<rows, decltype(scales::deduce_layoutSFA())>;
using b_layout = cute::tuple<columns, decltype(scales::deduce_layoutSFB())>;
#else
using a_layout = rows;
using b_layout = columns;
#endif

constexpr int of_operands = 128 / cutlass::sizeof_bits<element>::value,
              of_results = 128 / cutlass::sizeof_bits<result>::value;

using epilogue =
    cutlass::epilogue::collective::CollectiveBuilder<cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, tile, cluster,
                                                     cutlass::epilogue::collective::EpilogueTileAuto, float, float,
                                                     result, rows, of_results, result, rows, of_results,
                                                     cutlass::epilogue::TmaWarpSpecializedCooperative>::CollectiveOp;
using main_loop = cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, element, a_layout, of_operands, element, b_layout, of_operands,
    float, tile, cluster,
    cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(epilogue::SharedStorage))>,
    cutlass::gemm::RIVAL_SCHEDULE>::CollectiveOp;
using kernel = cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, main_loop, epilogue>;

const void* const kept = reinterpret_cast<const void*>(&cutlass::device_kernel<kernel>);
