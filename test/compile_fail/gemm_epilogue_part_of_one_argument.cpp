// A function of one element in an epilogue, whose parts take tiles.
//
// expect: tegula: a part of an epilogue is a function object with 'template <class Accumulator, class Window> operator()
// flags: -DTEGULA_EMULATOR_ELSEWHERE

#include <tegula/tegula.hpp>

using namespace tegula;

struct square
{
#ifdef TEGULA_CONTROL
    template <class Accumulator, class Window>
    TEGULA_INLINE void operator()(Accumulator& tile, const Window&, long_index_t) const
    {
        transform(tile, [](float x) { return x * x; });
    }
#else
    TEGULA_INLINE float operator()(float x) const { return x * x; }
#endif
};

using tile = gemm_tiles<arch::sm_80, half>::t32x128;
using kernel = gemm_kernels<tile, float, epilogue::chain<square>>::element_wise;

void run(const kernel::arguments& args) { kernel{}(args); }
