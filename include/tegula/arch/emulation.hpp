#pragma once

#include <tegula/chip/tensor_tile.hpp>
#include <tegula/core/call_site.hpp>
#include <tegula/core/thread_scope.hpp>

/// The emulated halves of the primitives, as tegula::arch::emulation. In a host pass that is the emulator's interface.
/// A device pass reads the primitives of all vendors and compiles those of its own; for the others it needs names, and
/// no definitions.

#if !TEGULA_DEVICE_PASS

#include <tegula/emulator/tile_copies.hpp>

namespace tegula::arch {
namespace emulation = tegula::emulator;
}

/// Registers of type T that are not written yet, as the initializer of a member or a variable.
#define TEGULA_UNSET(...) = ::tegula::arch::emulation::unset_registers<__VA_ARGS__>()

#else

#define TEGULA_UNSET(...)

namespace tegula::arch::emulation {

struct extent3
{
    int x, y, z;
};

TEGULA_HOST_DEVICE int thread_id();
TEGULA_HOST_DEVICE int lane_id();
TEGULA_HOST_DEVICE extent3 block_id();
TEGULA_HOST_DEVICE void block_barrier(call_site where);
TEGULA_HOST_DEVICE void shared_barrier(call_site where);
TEGULA_HOST_DEVICE void wave_barrier(call_site where);
TEGULA_HOST_DEVICE void shuffle(void* to, const void* from, int bytes, int source, call_site where);
TEGULA_HOST_DEVICE std::uint64_t ballot(bool vote, call_site where);
TEGULA_HOST_DEVICE std::byte* shared_memory();
template <int Bytes>
TEGULA_HOST_DEVICE void load_global(void* to, const void* from, bool active, call_site where);
template <int Bytes>
TEGULA_HOST_DEVICE void store_global(void* to, const void* from, bool active, call_site where);
template <int Bytes>
TEGULA_HOST_DEVICE void load_shared(void* to, const void* from, bool active, call_site where);
template <int Bytes>
TEGULA_HOST_DEVICE void store_shared(void* to, const void* from, bool active, call_site where);
template <int Bytes>
TEGULA_HOST_DEVICE void async_copy(void* shared, const void* global, bool valid, call_site where);
template <int Bytes>
TEGULA_HOST_DEVICE void skip_async_copy(call_site where);
TEGULA_HOST_DEVICE void async_commit();
template <int Groups>
TEGULA_HOST_DEVICE void async_wait(call_site where);
template <int Instructions, int Additions = 0>
TEGULA_HOST_DEVICE void async_wait_newest(call_site where);
TEGULA_HOST_DEVICE void load_tile(const tensor_tile_words& d, call_site where);
template <int Tiles>
TEGULA_HOST_DEVICE void wait_for_tiles(call_site where);
TEGULA_HOST_DEVICE void atomic_add(float* to, float value, call_site where);
TEGULA_HOST_DEVICE void atomic_add(int* to, int value, call_site where);
template <class T, class F>
TEGULA_HOST_DEVICE T shared_atomic(T* at, const F& change, call_site where, bool looks = true);
template <class T, class F>
TEGULA_HOST_DEVICE T global_atomic(T* at, const F& change, call_site where, bool looks = true);
template <class T>
TEGULA_HOST_DEVICE T shared_exchange(T* at, T value, call_site where);
template <class T>
TEGULA_HOST_DEVICE T global_exchange(T* at, T value, call_site where);
TEGULA_HOST_DEVICE void thread_fence(thread_scope scope, call_site where);
TEGULA_HOST_DEVICE int uniform(int value, call_site where);
template <int Bytes>
TEGULA_HOST_DEVICE void load_buffer(void* to, const void* base, std::uint32_t buffer_bytes, std::uint32_t offset,
                                    call_site where);
TEGULA_HOST_DEVICE void require_block_threads(int threads, call_site where);
TEGULA_HOST_DEVICE float note_dropped_nan(float x, float y, float chosen);
TEGULA_HOST_DEVICE bool checks_enabled();
TEGULA_HOST_DEVICE void set_element(const char* tensor, const index_t* x, int dims, const void* data = nullptr,
                                    int element_bytes = 0);

} // namespace tegula::arch::emulation

#endif
