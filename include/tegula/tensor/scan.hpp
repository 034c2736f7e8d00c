#pragma once

#include <tegula/tensor/reduce.hpp>

namespace tegula {

namespace detail {

/// The holder that counts one digit of the scanned dimension, the least significant one first.
enum class scan_owner { registers, lanes, threads };

struct scan_step
{
    scan_owner owner = scan_owner::registers;
    index_t length = 1;
    index_t stride = 0; ///< in the number of the lane or of the thread
    int digit = -1;     ///< in the digit table, if registers own it
    int y_below = 0;    ///< digits of the dimension that registers count and that are less significant
};

struct scan_plan
{
    static_vector<scan_step, 2 * encoding_value::max_minors> steps;
    index_t threads = 1; ///< threads that together hold the tile

    constexpr bool has(scan_owner owner) const
    {
        for (const scan_step& s : steps)
            if (s.owner == owner)
                return true;
        return false;
    }
};

/// The digits of `dim` from the least significant up. The part of a lane digit inside a wave stays there; the rest, and
/// digits that tell waves apart, are exchanged between threads.
constexpr scan_plan make_scan_plan(const encoding_value& e, int dim, int wave_size)
{
    const digit_table table = make_digit_table(e);
    scan_plan plan;
    plan.threads = static_cast<index_t>(partition_size(e));
    int y_below = 0;
    for (int i = table.digits.size() - 1; i >= 0; --i) {
        const placed_digit& d = table.digits[i];
        if (d.x_dim != dim || d.length == 1)
            continue;
        if (d.y_dim >= 0) {
            plan.steps.push_back({scan_owner::registers, d.length, 0, i, y_below});
            ++y_below;
            continue;
        }
        auto stride = static_cast<index_t>(d.p_stride);
        index_t inside = 1;
        if (d.p_dim == e.num_p() - 1) {
            if (wave_size % stride == 0)
                inside = power_of_two_divisor(d.length, static_cast<int>(wave_size / stride));
        } else {
            stride *= static_cast<index_t>(p_length(e, 1));
        }
        if (inside > 1)
            plan.steps.push_back({scan_owner::lanes, inside, stride, i, y_below});
        if (d.length > inside)
            plan.steps.push_back({scan_owner::threads, d.length / inside, stride * inside, i, y_below});
    }
    return plan;
}

/// Registers of a scan along Dim. A run of elements that the steps so far have joined is named by its first register.
template <class Target, class Distribution, index_t Dim>
struct scan_of
{
private:
    static constexpr scan_plan plan = make_scan_plan(Distribution::value, Dim, Target::wave_size);

    static consteval index_t digit_in(int i, int n)
    {
        const placed_digit d = Distribution::digit(i);
        return static_cast<index_t>(Distribution::step(n)[d.x_dim] / d.x_stride % d.length);
    }
    /// Register position n with the first `digits` register digits of Dim set to 0.
    static consteval int run_of(int n, int digits)
    {
        multi_index<Distribution::num_x> x = Distribution::step(n);
        for (int i = Distribution::num_digits - 1; i >= 0 && digits > 0; --i) {
            const placed_digit d = Distribution::digit(i);
            if (d.x_dim != Dim || d.y_dim < 0 || d.length == 1)
                continue;
            x[Dim] -= static_cast<index_t>(digit_in(i, n) * d.x_stride);
            --digits;
        }
        return Distribution::register_at(x);
    }
    static consteval int register_of(int n) { return Distribution::register_at(Distribution::step(n)); }

public:
    static constexpr int num_steps = plan.steps.size();
    static constexpr int elements = Distribution::num_elements;
    static constexpr index_t threads = plan.threads;
    static constexpr bool crosses = plan.has(scan_owner::threads);
    static consteval scan_step step(int s) { return plan.steps[s]; }

    /// element = op(total of run, element), or total of a run = op(that of the run before it, its own).
    struct combination
    {
        int to = 0;
        int from = 0;
        bool of_total = false;
    };

    /// The operations of a step over registers, in order. Before position v + 1 of the digit takes the total of
    /// position v, that has become the total of positions 0 to v. The first run ends with the total of all.
    template <int S>
    struct register_step
    {
    private:
        static constexpr scan_step me = plan.steps[S];
        using combinations = static_vector<combination, 2 * elements>;
        static consteval combinations make()
        {
            combinations list;
            for (index_t v = 1; v < me.length; ++v) {
                for (int i = 0; i < elements; ++i)
                    if (digit_in(me.digit, i) == v)
                        list.push_back({register_of(i), run_of(i, me.y_below + 1), false});
                for (int i = 0; i < elements; ++i)
                    if (digit_in(me.digit, i) == v && run_of(i, me.y_below) == register_of(i))
                        list.push_back({run_of(i, me.y_below + 1), register_of(i), true});
            }
            return list;
        }
        static constexpr combinations list = make();

    public:
        static constexpr int count = list.size();
        static consteval combination at(int k) { return list[k]; }
    };

    /// Runs before step S: their count, the register of run k, and whether a register position belongs to a run.
    template <int S>
    static consteval int count_runs()
    {
        int n = 0;
        for (int i = 0; i < elements; ++i)
            n += run_of(i, plan.steps[S].y_below) == register_of(i);
        return n;
    }
    template <int S>
    static consteval int run(int k)
    {
        for (int i = 0; i < elements; ++i)
            if (run_of(i, plan.steps[S].y_below) == register_of(i) && k-- == 0)
                return register_of(i);
        return 0;
    }
    template <int S>
    static consteval bool is_in_run(int n, int run_register)
    {
        return run_of(n, plan.steps[S].y_below) == run_register;
    }
    static consteval int element(int n) { return register_of(n); }

    static consteval index_t most_runs()
    {
        index_t most = 0;
        for (int s = 0; s < num_steps; ++s) {
            index_t runs = 0;
            for (int i = 0; i < elements; ++i)
                runs += run_of(i, plan.steps[s].y_below) == register_of(i);
            if (plan.steps[s].owner == scan_owner::threads && runs > most)
                most = runs;
        }
        return most;
    }
};

/// Joins runs that follow each other in one lane.
TEGULA_CALLS_BACK
template <class Scan, int S, class Array, class Op>
TEGULA_INLINE void scan_registers(Array& element, Array& total, const Op& op)
{
    using step = typename Scan::template register_step<S>;
    static_for<step::count>([&](auto k) {
        constexpr auto c = step::at(k);
        if constexpr (c.of_total)
            total[c.to] = op(total[c.to], total[c.from]);
        else
            element[c.to] = op(total[c.from], element[c.to]);
    });
}

/// element = op(before, element) for the elements of a run, if there is something before them.
TEGULA_CALLS_BACK
template <class Scan, int S, int Run, class Array, class T, class Op>
TEGULA_INLINE void append_run(Array& element, const T& before, bool any_before, const Op& op)
{
    static_for<Scan::elements>([&](auto n) {
        if constexpr (Scan::template is_in_run<S>(n, Run)) {
            constexpr int r = Scan::element(n);
            element[r] = choose(any_before, op(before, element[r]), element[r]);
        }
    });
}

/// Joins runs that follow each other in lanes of a wave.
TEGULA_CALLS_BACK
template <class Target, class Scan, int S, class Array, class Op>
TEGULA_INLINE void scan_lanes(Array& element, Array& total, const Op& op, call_site where)
{
    constexpr index_t stride = Scan::step(S).stride;
    constexpr int bits = __builtin_ctz(static_cast<unsigned>(Scan::step(S).length));
    constexpr int runs = Scan::template count_runs<S>();
    const int lane = Target::lane_id();
    static_for<runs>([&](auto k) {
        constexpr int run = Scan::template run<S>(k);
        auto all = total[run];
        auto before = all;
        bool any_before = false;
        static_for<bits>([&](auto bit) {
            constexpr int mask = stride << bit;
            const auto other = Target::template shuffle_xor<mask>(all, where);
            const bool upper = (lane & mask) != 0;
            before = choose(upper, choose(any_before, op(other, before), other), before);
            any_before |= upper;
            all = op(choose(upper, other, all), choose(upper, all, other));
        });
        append_run<Scan, S, run>(element, before, any_before, op);
        total[run] = all;
    });
}

/// Joins runs that follow each other in threads of the block.
TEGULA_CALLS_BACK
template <class Target, class Scan, int S, class Array, class Op>
TEGULA_INLINE void scan_threads(Array& element, Array& total, const Op& op, std::byte* scratch, call_site where)
{
    using T = std::remove_cvref_t<decltype(total[0])>;
    constexpr int runs = Scan::template count_runs<S>();
    constexpr index_t stride = Scan::step(S).stride, length = Scan::step(S).length;
    // [position of the digit][run][thread without the digit]
    constexpr index_t others = Scan::threads / length;
    const auto thread = static_cast<unsigned>(Target::thread_id());
    constexpr auto low = static_cast<unsigned>(stride), positions = static_cast<unsigned>(length);
    const auto mine = static_cast<index_t>(thread / low % positions);
    const auto place = static_cast<index_t>(thread / (low * positions) * low + thread % low);
    T* const slots = reinterpret_cast<T*>(scratch) + place;
    static_for<runs>([&](auto k) {
        constexpr int run = Scan::template run<S>(k);
        write_scalar<Target, address_space::shared>(slots + (mine * runs + k) * others, total[run], true, where);
    });
    Target::shared_barrier(where);
    static_for<runs>([&](auto k) {
        constexpr int run = Scan::template run<S>(k);
        T all = read_scalar<Target, address_space::shared>(slots + k * others, true, where);
        T before = all;
        for (index_t i = 1; i < length; ++i) {
            before = choose(i == mine, all, before);
            all = op(all, read_scalar<Target, address_space::shared>(slots + (i * runs + k) * others, true, where));
        }
        append_run<Scan, S, run>(element, before, mine > 0, op);
        total[run] = all;
    });
    Target::shared_barrier(where);
}

/// The scan of `total`, the tile, along Dim; `element` starts as the tile, or as the identity.
TEGULA_CALLS_BACK
template <class Target, index_t Dim, class Tensor, class Op>
TEGULA_INLINE void scan_in_place(Tensor& element, Tensor total, const Op& op, std::byte* scratch, call_site where)
{
    using distribution = typename Tensor::distribution;
    using scan = scan_of<Target, distribution, Dim>;
    static_for<scan::num_steps>([&](auto s) {
        constexpr scan_owner owner = scan::step(s).owner;
        if constexpr (owner == scan_owner::registers)
            scan_registers<scan, s>(element, total, op);
        else if constexpr (owner == scan_owner::lanes)
            scan_lanes<Target, scan, s>(element, total, op, where);
        else
            scan_threads<Target, scan, s>(element, total, op, scratch, where);
    });
}

/// Whether a segment starts, and the value since its start.
template <class T>
struct segment_value
{
    T value;
    std::uint32_t starts;
};

template <class Op>
struct segmented
{
    const Op& op;
    TEGULA_CALLS_BACK
    template <class T>
    TEGULA_INLINE segment_value<T> operator()(const segment_value<T>& a, const segment_value<T>& b) const
    {
        return {choose(b.starts != 0, b.value, op(a.value, b.value)), a.starts | b.starts};
    }
};

template <class T, class Distribution>
TEGULA_INLINE auto make_segments(const distributed_tensor<T, Distribution>& tensor,
                                 const distributed_tensor<bool, Distribution>& starts)
{
    distributed_tensor<segment_value<T>, Distribution> segments;
    static_for<Distribution::num_registers>(
        [&](auto r) { segments[r] = segment_value<T>{tensor[r], static_cast<std::uint32_t>(starts[r])}; });
    return segments;
}

} // namespace detail

/// Bytes of shared memory that the scan of a tile of T along Dim needs; 0 if the dimension stays within waves.
/// Segmented scans need those of detail::segment_value<T>: segmented_scan_scratch_bytes.
template <class Target, class T, class Distribution, index_t Dim>
inline constexpr index_t scan_scratch_bytes =
    detail::scan_of<Target, Distribution, Dim>::crosses
        ? detail::scan_of<Target, Distribution, Dim>::threads *
              detail::scan_of<Target, Distribution, Dim>::most_runs() * static_cast<index_t>(sizeof(T))
        : 0;
template <class Target, class T, class Distribution, index_t Dim>
inline constexpr index_t segmented_scan_scratch_bytes =
    scan_scratch_bytes<Target, detail::segment_value<T>, Distribution, Dim>;

/// Element x of the result is op over the elements 0 to x along tensor dimension Dim, in their order: op is associative
/// and need not be commutative. The order of operations is fixed, and all replicas get the same bits.
///
///   scratch  shared memory of scan_scratch_bytes, aligned to 16 bytes, that no lane is using; free again on return
///
/// All lanes of the wave take part; if scratch is needed, all threads of the block.
TEGULA_CALLS_BACK
template <class Target, index_t Dim, class T, class Distribution, class Op, class Scratch = detail::no_scratch>
TEGULA_INLINE auto inclusive_scan(const distributed_tensor<T, Distribution>& tensor, const Op& op,
                                  Scratch scratch = nullptr, call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, scan_scratch_bytes<Target, T, Distribution, Dim>>) > 0);
    distributed_tensor<T, Distribution> result = tensor;
    detail::scan_in_place<Target, Dim>(result, tensor, op, scratch, where);
    return result;
}

/// The scan over the elements before x; `identity` if there are none.
TEGULA_CALLS_BACK
template <class Target, index_t Dim, class T, class Distribution, class Op, class Scratch = detail::no_scratch>
TEGULA_INLINE auto exclusive_scan(const distributed_tensor<T, Distribution>& tensor, const Op& op, const T& identity,
                                  Scratch scratch = nullptr, call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, scan_scratch_bytes<Target, T, Distribution, Dim>>) > 0);
    auto result = make_distributed_tensor<T, Distribution>(identity);
    detail::scan_in_place<Target, Dim>(result, tensor, op, scratch, where);
    return result;
}

/// inclusive_scan that restarts at every element whose `starts` is true. The first element of the dimension begins a
/// segment whatever `starts` says.
TEGULA_CALLS_BACK
template <class Target, index_t Dim, class T, class Distribution, class Op, class Scratch = detail::no_scratch>
TEGULA_INLINE auto segmented_inclusive_scan(const distributed_tensor<T, Distribution>& tensor,
                                            const distributed_tensor<bool, Distribution>& starts, const Op& op,
                                            Scratch scratch = nullptr, call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, segmented_scan_scratch_bytes<Target, T, Distribution, Dim>>) >
                  0);
    const auto scanned =
        inclusive_scan<Target, Dim>(detail::make_segments(tensor, starts), detail::segmented<Op>{op}, scratch, where);
    distributed_tensor<T, Distribution> result;
    static_for<Distribution::num_registers>([&](auto r) { result[r] = scanned[r].value; });
    return result;
}

/// exclusive_scan that restarts, with `identity`, at every element whose `starts` is true.
TEGULA_CALLS_BACK
template <class Target, index_t Dim, class T, class Distribution, class Op, class Scratch = detail::no_scratch>
TEGULA_INLINE auto segmented_exclusive_scan(const distributed_tensor<T, Distribution>& tensor,
                                            const distributed_tensor<bool, Distribution>& starts, const Op& op,
                                            const T& identity, Scratch scratch = nullptr,
                                            call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, segmented_scan_scratch_bytes<Target, T, Distribution, Dim>>) >
                  0);
    const auto scanned = exclusive_scan<Target, Dim>(detail::make_segments(tensor, starts), detail::segmented<Op>{op},
                                                     detail::segment_value<T>{identity, 0}, scratch, where);
    distributed_tensor<T, Distribution> result;
    static_for<Distribution::num_registers>(
        [&](auto r) { result[r] = choose(static_cast<bool>(starts[r]), identity, scanned[r].value); });
    return result;
}

} // namespace tegula
