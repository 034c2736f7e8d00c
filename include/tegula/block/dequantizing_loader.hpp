#pragma once

#include <tegula/block/dequantized_run.hpp>
#include <tegula/block/operand_loader.hpp>

namespace tegula {

/// The zero point of weights whose integer 0 stands for 0.
struct no_zero_points
{};

/// How a GEMM operand is stored if it is multiplied in a wider type: integers, with a scale and a zero point for each
/// group.
///
///   Packet  std::int8_t, std::uint8_t, or int4x2, uint4x2: two neighbours along k, element 0 the lower k
///   Group   consecutive k that share a scale; 0 if there are none
///   Scale   type of the scales
///   Zero    type of the zero points, an integer of 8 bits or a floating-point type; no_zero_points if there are none
///
/// element = (integer - zero point) * scale, both operations in float, rounded once to the wider type. A scale of a
/// whole row of the operand (a column of B) is better applied by the epilogue: then the integers are exact.
template <class Packet, index_t Group = 0, class Scale = float, class Zero = no_zero_points>
struct quantized
{
    static constexpr bool has_zero_points = !std::is_same_v<Zero, no_zero_points>;

    using packet = Packet;
    using scale = Scale;
    using zero = std::conditional_t<has_zero_points, Zero, Scale>;
    static constexpr index_t group = Group;
    static constexpr int packing = number_traits<Packet>::packing;
    static_assert(Group >= 0 && Group % 8 == 0,
                  "tegula: a group of weights that share a scale is a multiple of 8 of them, or 0 for no scales");
    static_assert(Group != 0 || !has_zero_points,
                  "tegula: zero points belong to groups, as scales do; give the length of a group");
};

/// Where such an operand lies in global memory. k and the stride along it are in packets.
template <class Form>
struct quantized_source : operand_source<typename Form::packet>
{
    const typename Form::scale* scales = nullptr; ///< [rows, groups]
    long_index_t scale_row_stride = 0;
    long_index_t scale_group_stride = 0;
    index_t groups = 0;
    const typename Form::zero* zeros = nullptr; ///< [rows, groups]
    long_index_t zero_row_stride = 0;
    long_index_t zero_group_stride = 0;
};

namespace detail {

/// The encoding with each lane's run of neighbours along k, its last digit of k, divided by `by`.
constexpr encoding_value shorten_k_run(encoding_value e, index_t by)
{
    e.hs[1].back() = e.hs[1].back() / by;
    return e;
}

template <class Source, index_t By>
struct shortened_source
{
    static constexpr encoding_value raw = shorten_k_run(Source::raw, By);
    static constexpr const encoding_value& value = raw;
};

} // namespace detail

/// A quantised operand of a GEMM on its way into a ring of tiles of Wide elements in shared memory. k loops use it like
/// an operand_loader.
///
/// Integers and their scales are loaded into registers, as every operand is on AMD, and converted when they are written
/// to shared memory. They are converted once for each block instead of once for each wave that reads them, and the
/// scales' latency is hidden with the integers'. Shared memory has the layout of the ordinary operand, free of
/// conflicts. The price: shared memory holds the wide type, and NVIDIA's asynchronous copy cannot be used.
template <class Target, class Wide, class Form, index_t Rows, index_t K, int Waves, operand_order Order,
          class ReadDistribution>
struct dequantizing_loader
{
    using packet = typename Form::packet;
    using scale_type = typename Form::scale;
    using zero_type = typename Form::zero;
    static constexpr int packing = Form::packing;

    using load_source = operand_load_source<Target, Wide, Rows, K, Waves, Order>;
    /// Neighbouring elements along k in a lane.
    static constexpr index_t run = load_source::raw.hs[1].values[load_source::raw.hs[1].count - 1];
    static_assert(run % packing == 0,
                  "tegula: each lane must convert whole packets; use a block tile with more elements along k");
    static_assert(Form::group % run == 0);

    using load_distribution = tile_distribution<load_source>;
    using packet_distribution = tile_distribution<detail::shortened_source<load_source, packing>>;
    using scale_distribution = tile_distribution<detail::shortened_source<load_source, run>>;
    using shared = operand_shared_layout<Target, Wide, Rows, K, load_distribution, ReadDistribution>;
    using descriptor = shared_descriptor<shared>;
    using shared_view = tensor_view<Target, address_space::shared, Wide, descriptor>;
    using write_window = tile_window<shared_view, load_distribution>;
    using read_window = tile_window<shared_view, ReadDistribution>;
    using global_view = decltype(make_operand_view<Target, Order>(std::declval<const operand_source<packet>&>()));
    using global_window = tile_window<global_view, packet_distribution>;

    static constexpr index_t packets_k = K / packing;
    static constexpr index_t tile_elements = descriptor::element_space_size();
    static constexpr bool asynchronous = false;
    static constexpr bool buffered =
        Target::has_buffer_load && Order != operand_order::any && global_window::plan::vector >= 4;
    static constexpr bool instruction_order = false;
    static constexpr bool by_tiles = false;
    static constexpr bool by_mbarriers = false;
    static constexpr int copies_of_stage = 0;

    using vector = array<packet, global_window::plan::vector>;
    using raw = raw_vector<global_window::plan::vector>;
    static_assert(sizeof(packet) == 1);

    /// The registers that load_stage() fills: packets as loaded, which stay whole in flight, scales and zero points.
    struct staged_tile
    {
        array<raw, global_window::plan::accesses> vectors;
        array<scale_type, Form::group != 0 ? scale_distribution::num_registers : 0> scales;
        array<zero_type, Form::has_zero_points ? scale_distribution::num_registers : 0> zeros;
    };

    quantized_source<Form> operand;
    index_t first_row;
    index_t next_step = 0; ///< next step of k for load_stage()
    global_window source;
    std::conditional_t<buffered, buffer_reader<Target, packet, Rows, packets_k, global_window>, no_buffer_reader>
        reader;
    write_window writer;
    read_window slices;
    Wide* ring; ///< first tile in shared memory
    staged_tile staged;

    TEGULA_INLINE dequantizing_loader(const quantized_source<Form>& s, index_t row, Wide* first_tile)
        : operand(s), first_row(row), source(window_at(0)), reader(s, row),
          writer(make_tile_window<load_distribution>(shared_view{first_tile, {}, s.name}, {0, 0})),
          slices(make_tile_window<ReadDistribution>(shared_view{first_tile, {}, s.name}, {0, 0})), ring(first_tile)
    {}

    /// Whether load_stage() can be used for the whole tiles of this block.
    TEGULA_INLINE bool has_whole_tiles() const
    {
        const index_t rows = operand.rows - first_row;
        if constexpr (buffered)
            return reader.template has_whole_tiles<Order>(operand, rows) && scales_reach();
        else
            return rows >= Rows;
    }

    /// Starts the next whole tile.
    TEGULA_INLINE void load_stage(int)
    {
        if constexpr (buffered) {
            static_for<global_window::plan::accesses>([&](auto a) { staged.vectors[a] = reader.template read<a>(); });
            reader.next();
            load_scales_by_buffer(next_step++);
        } else if constexpr (Order == operand_order::any) {
            load_packets<bounds::unchecked>(window_at(next_step * packets_k));
            load_scales(next_step++);
        } else {
            load_packets<bounds::unchecked>(source);
            source.move({0, packets_k});
            load_scales(next_step++);
        }
    }

    /// Starts the tile at step `step` of k, which may lie partly outside the operand.
    TEGULA_INLINE void load_edge_stage(int, index_t step)
    {
        load_packets<bounds::checked>(window_at(step * packets_k));
        load_scales(step);
    }

    /// Converts the loaded tile, or that of an earlier load_stage() if it is given, and writes it to the ring.
    TEGULA_INLINE void store_stage(int slot) { store_stage(slot, staged); }
    TEGULA_INLINE void store_stage(int slot, const staged_tile& tile) const
    {
        write_window to = writer;
        to.view.data = slot_data(slot);
        store<bounds::unchecked>(to, dequantize(tile));
    }

    /// Reads the slice of k that starts at element `k` of the tile in `slot`.
    TEGULA_INLINE auto read(int slot, index_t k) const
    {
        read_window w = slices;
        w.view.data = slot_data(slot);
        w.move({0, k});
        return load<bounds::unchecked>(w);
    }
    template <int KOffset>
    TEGULA_INLINE auto read(int slot) const
    {
        return read(slot, KOffset);
    }

private:
    TEGULA_INLINE Wide* slot_data(int slot) const { return ring + slot * tile_elements; }

    /// first_row, opaque to the compiler: a lane's rows are computed at each use instead of held in registers.
    TEGULA_INLINE index_t recompute_first_row() const
    {
        long_index_t row = first_row;
        Target::make_opaque(row);
        return static_cast<index_t>(row);
    }

    TEGULA_INLINE global_window window_at(index_t k) const
    {
        operand_source<packet> s = operand;
        if constexpr (Order == operand_order::any) {
            // As in operand_loader.
            Target::make_opaque(s.row_stride);
            Target::make_opaque(s.k_stride);
        }
        return make_tile_window<packet_distribution>(make_operand_view<Target, Order, packet>(s),
                                                     {recompute_first_row(), k});
    }

    template <bounds Bounds>
    TEGULA_INLINE void load_packets(const global_window& from)
    {
        for_each_access<Bounds>(from, [&](auto a, const auto& access) {
            const auto values = internal::read_access(access, packet{});
            staged.vectors[a] = __builtin_bit_cast(raw, values);
        });
    }

    /// The scale and the zero point of each lane's runs in the tile of that step; 0 outside the operand.
    TEGULA_INLINE void load_scales([[maybe_unused]] index_t step)
    {
        if constexpr (Form::group != 0) {
            const auto x = scale_distribution::origin(partition_index<Target, scale_distribution>());
            const index_t first = recompute_first_row();
            static_for<scale_distribution::num_registers>([&](auto n) {
                constexpr auto at = scale_distribution::step(n);
                constexpr int r = scale_distribution::register_at(at);
                const index_t row = first + x[0] + at[0];
                const index_t group = (step * K + (x[1] + at[1]) * run) / Form::group;
                const bool there = row < operand.rows && group < operand.groups;
                staged.scales[r] = internal::read_scalar<Target>(
                    operand.scales + row * operand.scale_row_stride + group * operand.scale_group_stride, there);
                if constexpr (Form::has_zero_points)
                    staged.zeros[r] = internal::read_scalar<Target>(
                        operand.zeros + row * operand.zero_row_stride + group * operand.zero_group_stride, there);
            });
        }
    }

    /// Whether offsets of scales and zero points in a tile fit 31 bits, and none is below 0.
    TEGULA_INLINE bool scales_reach() const
    {
        const auto reach = [](long_index_t row_stride, long_index_t group_stride, std::size_t bytes) {
            return row_stride >= 0 && group_stride >= 0 &&
                   (Rows * row_stride + K * group_stride) * static_cast<long_index_t>(bytes) < (1L << 31);
        };
        if constexpr (Form::group == 0)
            return true;
        else
            return reach(operand.scale_row_stride, operand.scale_group_stride, sizeof(scale_type)) &&
                   (!Form::has_zero_points ||
                    reach(operand.zero_row_stride, operand.zero_group_stride, sizeof(zero_type)));
    }

    /// As load_scales, for a whole tile. The descriptor, which all lanes share, starts at the tile's first group; the
    /// lane's offset is the rest. Rows past the last take its scale: they are columns of C that are not stored.
    TEGULA_INLINE void load_scales_by_buffer([[maybe_unused]] index_t step)
    {
        if constexpr (Form::group != 0) {
            read_groups(staged.scales, step, operand.scales, operand.scale_row_stride, operand.scale_group_stride);
            if constexpr (Form::has_zero_points)
                read_groups(staged.zeros, step, operand.zeros, operand.zero_row_stride, operand.zero_group_stride);
        }
    }
    template <class Registers, class T>
    TEGULA_INLINE void read_groups(Registers& to, index_t step, const T* data, long_index_t row_stride,
                                   long_index_t group_stride) const
    {
        const index_t k = step * K, group = k / Form::group, before = k - group * Form::group;
        const index_t last_row = min(operand.rows - first_row, Rows) - 1;
        const auto bytes_to = [&](index_t row, index_t further) {
            return (static_cast<std::uint32_t>(row) * static_cast<std::uint32_t>(row_stride) +
                    static_cast<std::uint32_t>(groups_further(before, further)) *
                        static_cast<std::uint32_t>(group_stride)) *
                   static_cast<std::uint32_t>(sizeof(T));
        };
        const T* const first = data + recompute_first_row() * row_stride + group * group_stride;
        const auto end = bytes_to(last_row, K - 1) + static_cast<std::uint32_t>(sizeof(T));
        const auto x = scale_distribution::origin(partition_index<Target, scale_distribution>());
        static_for<scale_distribution::num_registers>([&](auto n) {
            constexpr auto at = scale_distribution::step(n);
            to[scale_distribution::register_at(at)] =
                __builtin_bit_cast(T, Target::template load_buffer<raw_vector<sizeof(T)>>(
                                          {first, end}, bytes_to(min(x[0] + at[0], last_row), (x[1] + at[1]) * run)));
        });
    }
    /// Groups between a tile's first k, which lies `before` into its group, and the k that is `further` after it.
    static constexpr TEGULA_INLINE index_t groups_further([[maybe_unused]] index_t before, index_t further)
    {
        if constexpr (Form::group % K == 0)
            return 0;
        else if constexpr (K % Form::group == 0)
            return further / Form::group;
        else
            return (before + further) / Form::group;
    }

    static TEGULA_INLINE distributed_tensor<Wide, load_distribution> dequantize(const staged_tile& tile)
    {
        distributed_tensor<packet, packet_distribution> packets;
        static_for<global_window::plan::accesses>([&](auto a) {
            const raw bits = tile.vectors[a];
            internal::scatter_registers<global_window, a>(packets, __builtin_bit_cast(vector, bits));
        });
        distributed_tensor<Wide, load_distribution> wide;
        static_for<scale_distribution::num_registers>([&](auto n) {
            constexpr auto at = scale_distribution::step(n); // in runs
            array<packet, run / packing> from;
            static_for<run / packing>([&](auto i) {
                constexpr int r = packet_distribution::register_at({at[0], at[1] * (run / packing) + i});
                from[i] = packets[r];
            });
            scale_type scale{};
            zero_type zero{};
            constexpr int of = scale_distribution::register_at(at);
            if constexpr (Form::group != 0)
                scale = tile.scales[of];
            if constexpr (Form::has_zero_points)
                zero = tile.zeros[of];
            using of_run =
                detail::dequantized_run<Target, Wide, Form, static_cast<int>(run), (global_window::plan::vector > 1)>;
            const auto made = of_run::make(from, scale, zero);
            static_for<run>([&](auto i) {
                constexpr int to = load_distribution::register_at({at[0], at[1] * run + i});
                wide[to] = made[i];
            });
        });
        return wide;
    }
};

} // namespace tegula
