// Included once in the region of each instruction set: `rounds` times ten independent multiplications on registers,
// enough for two ports with a latency of four or five cycles.

template <class I, int... Is>
inline typename I::vector multiply_all(long rounds, std::integer_sequence<int, Is...>)
{
    typename I::vector c[] = {(typename I::vector{} + static_cast<typename I::c_type>(Is))...};
    // A small normal number in every type.
    const typename I::words a = typename I::words{} + static_cast<typename I::word>(0x3c3c3c3c3c3c3c3cull), b = a;
    for (long i = 0; i < rounds; ++i)
        (I::multiply(c[Is], a, b), ...);
    return (c[Is] + ...);
}

template <class I>
[[gnu::noinline]] void multiply_registers(I, long rounds)
{
    const typename I::vector sum = multiply_all<I>(rounds, std::make_integer_sequence<int, 10>{});
    volatile auto used = sum[0];
    static_cast<void>(used);
}
