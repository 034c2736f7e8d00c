#pragma once

#include <tegula/core/array.hpp>
#include <tegula/core/sequence.hpp>
#include <tegula/mma/device/device_x86.hpp>

#include <utility>

/// pack_rows, pack_columns, multiply_panels and call_flat for the instructions of every instruction set, found by the
/// instruction's namespace. One source, compiled in the region of each.

TEGULA_X86_BEGIN(TEGULA_X86_AVX2)
namespace tegula::x86::avx2 {
#include <tegula/block/packed/panels.inl>
#include <tegula/block/packed/unpacked.inl>
} // namespace tegula::x86::avx2
TEGULA_X86_END()

TEGULA_X86_BEGIN(TEGULA_X86_AVX_VNNI)
namespace tegula::x86::avx_vnni {
#include <tegula/block/packed/panels.inl>
}
TEGULA_X86_END()

TEGULA_X86_BEGIN(TEGULA_X86_AVX512)
namespace tegula::x86::avx512 {
#include <tegula/block/packed/panels.inl>
#include <tegula/block/packed/unpacked.inl>
} // namespace tegula::x86::avx512
TEGULA_X86_END()

TEGULA_X86_BEGIN(TEGULA_X86_AVX512_DOT)
namespace tegula::x86::avx512_dot {
#include <tegula/block/packed/panels.inl>
}
TEGULA_X86_END()

TEGULA_X86_BEGIN(TEGULA_X86_AMX)
namespace tegula::x86::amx {
#include <tegula/block/packed/panels.inl>
#include <tegula/block/packed/tiles.inl>
} // namespace tegula::x86::amx
TEGULA_X86_END()
