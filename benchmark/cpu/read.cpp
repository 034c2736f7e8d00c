// The rate at which memory is only read.

#include "contender.hpp"

#include <tegula/host/thread_pool.hpp>

namespace cpu_benchmark {

namespace {

typedef std::uint64_t words __attribute__((vector_size(32), aligned(1)));

/// The sum of the words of memory. Four streams, each prefetched 1 KB ahead, were as fast as eight or sixteen, and twice as
/// fast as one, on a Sapphire Rapids.
[[gnu::noinline, gnu::target("avx2")]] std::uint64_t sum_words(const std::byte* from, std::size_t bytes)
{
    constexpr std::size_t streams = 4, line = 64;
    const std::size_t length = bytes / streams / line * line;
    words sums[streams][2] = {};
    for (std::size_t i = 0; i < length; i += line)
        for (std::size_t s = 0; s < streams; ++s) {
            const std::byte* const at = from + s * length + i;
            __builtin_prefetch(at + 1024);
            sums[s][0] += *reinterpret_cast<const words*>(at);
            sums[s][1] += *reinterpret_cast<const words*>(at + sizeof(words));
        }
    std::uint64_t all = 0;
    for (const auto& of_stream : sums)
        for (const words& sum : of_stream)
            all += sum[0] + sum[1] + sum[2] + sum[3];
    return all;
}

} // namespace

std::function<void()> prepare_read(const std::vector<std::byte>& bytes, int threads)
{
    const int all = threads > 0 ? threads : tegula::thread_pool::threads_of_machine();
    return [&bytes, all] {
        tegula::thread_pool::instance().run(all, all, [&](tegula::long_index_t first, tegula::long_index_t last) {
            const auto place = [&](tegula::long_index_t i) {
                return bytes.size() / static_cast<std::size_t>(all) * static_cast<std::size_t>(i);
            };
            const volatile auto used = sum_words(&bytes[place(first)], place(last) - place(first));
            static_cast<void>(used);
        });
    };
}

} // namespace cpu_benchmark
