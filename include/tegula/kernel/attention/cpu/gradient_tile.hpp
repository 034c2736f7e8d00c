#pragma once

#include <tegula/core/constants.hpp>
#include <tegula/kernel/attention/backward/tiles.hpp>
#include <tegula/kernel/attention/cpu/tiles.hpp>

namespace tegula {

/// Rows x Columns floats in a block's shared memory, the rows one after the other: scores and their gradients in the
/// backward pass. It takes the place of a distribution.
///
///   Operations  native_rows or strict_rows
template <class Operations, index_t Rows, index_t Columns>
struct packed_grid
{
    using operations = Operations;
    static constexpr index_t rows = Rows, columns = Columns;
};

/// A tile of the grid, whose first `rows` rows exist.
template <class Grid>
struct packed_grid_tile
{
    float* data = nullptr;
    index_t rows = 0;
};

/// The tiles of a kernel of the backward pass on a CPU, in the place of attention_gradient_tile. Everything is computed
/// in float, and all lies in the block's shared memory: scores, their gradients, accumulators, and panels of the kept
/// rows and of the tiles that go by. These tiles are packed a second time if a product over their rows is wanted.
template <class Target, class Element, class Instruction, index_t Rows, index_t Columns, index_t HeadDim,
          index_t ValueDim>
struct cpu_gradient_tile
{
    using target = Target;
    using element = Element;
    static constexpr index_t head_dim = HeadDim;
    static constexpr index_t value_dim = ValueDim;
    static constexpr index_t rows = Rows;
    static constexpr index_t columns = Columns;
    static constexpr int waves = 1;
    static constexpr int stages = 1;
    static constexpr bool adds_dq = false, alone = false, passes_numbers = false, holds_next = false, direct = false;
    static constexpr index_t scores_bytes = 0; ///< of dS, which no block exchanges
    static constexpr int block_threads = 1;
    static_assert(Rows % Instruction::rows == 0 && Columns % Instruction::tile_columns == 0 &&
                      HeadDim % Instruction::tile_columns == 0 && ValueDim % Instruction::tile_columns == 0,
                  "tegula: a gradient tile of a CPU is whole register tiles of its instruction");
    static_assert(attention_backward_workspace::alignment % Columns == 0);

    using row_operations = std::conditional_t<Target::is_strict, strict_rows<Target>, native_rows<Instruction>>;
    using score_distribution = packed_grid<row_operations, Rows, Columns>;
    using score_tensor = packed_grid_tile<score_distribution>;

private:
    template <index_t Depth>
    using panels = std::conditional_t<Target::is_strict, strict_panels<Target, Instruction, Depth>,
                                      native_panels<Instruction, Depth>>;

    /// Rows that the block keeps. Scores: the byte at which their product with a tile starts.
    template <index_t Dim, index_t Scores>
    struct kept_rows
    {
        static constexpr int slices = 1; ///< a product is no sequence of steps here
        static constexpr index_t bytes = detail::bytes_of_floats(Rows * Dim);
        using scores = packed_matrix<Target, Scores, Columns>;
        packed_sequence<panels<Dim>, Element, Rows, packed_side::left> loader;

        TEGULA_INLINE kept_rows(const Element* first, index_t count, long_index_t stride, index_t inside,
                                std::byte* memory, const char* name)
            : loader(stride, inside, memory, name)
        {
            loader.load(first, count);
            loader.store();
        }
    };

    /// Tiles that go by, packed for products along their columns and, if Across says so, over their rows.
    template <index_t Dim, class Across>
    struct passing_rows
    {
        static constexpr ring_loads loads_by = ring_loads::stored;
        static constexpr bool has_across = !std::is_void_v<Across>;
        static constexpr index_t along_bytes = detail::bytes_of_floats(Columns * Dim);
        static constexpr index_t bytes = along_bytes * (has_across ? 2 : 1);
        packed_sequence<panels<Dim>, Element, Columns, packed_side::right> along;
        packed_sequence<panels<Columns>, Element, Columns, packed_side::right_by_columns> across;

        TEGULA_INLINE passing_rows(long_index_t stride, index_t inside, std::byte* memory, const char* name)
            : along(stride, inside, memory, name), across(stride, inside, memory + along_bytes, name)
        {}
        TEGULA_INLINE void load(int, const Element* first, index_t count)
        {
            along.load(first, count);
            across.load(first, count);
        }
        TEGULA_INLINE void store(int) const
        {
            along.store();
            if constexpr (has_across)
                across.store();
        }
    };

public:
    static TEGULA_INLINE int next_slot(int) { return 0; }

    // Byte offsets in the block's shared memory, in this order: scores, their gradients, both accumulators, kept rows,
    // and the rows that go by. The kernels' own memory starts after the accumulators.
    static constexpr index_t head_pitch = HeadDim + Instruction::columns, value_pitch = ValueDim + Instruction::columns;
    static constexpr index_t first_gradient_byte = detail::bytes_of_floats(Rows * Columns);
    static constexpr index_t first_head_byte = 2 * first_gradient_byte;
    static constexpr index_t first_value_byte = first_head_byte + detail::bytes_of_floats(Rows * head_pitch);
    static constexpr index_t own_bytes = first_value_byte + detail::bytes_of_floats(Rows * value_pitch);

    using kept_head = kept_rows<HeadDim, 0>;
    using kept_value = kept_rows<ValueDim, first_gradient_byte>;
    static constexpr index_t ring_offset = kept_head::bytes + kept_value::bytes;
    template <class Across>
    using head_tiles = passing_rows<HeadDim, Across>;
    template <class Across>
    using value_tiles = passing_rows<ValueDim, Across>;

    template <class HeadAcross, class ValueAcross>
    static constexpr index_t shared_bytes =
        own_bytes + ring_offset + head_tiles<HeadAcross>::bytes + value_tiles<ValueAcross>::bytes;
    /// The part of a block's shared memory that its kernel lays out.
    static TEGULA_INLINE std::byte* memory() { return Target::shared_memory() + own_bytes; }

    /// A sum over the rows that go by, [Rows, columns of one matrix].
    template <index_t First, index_t Pitch>
    struct gradient_rows
    {
        using accumulators = packed_matrix<Target, First, Pitch>;
        static constexpr bool in_memory = true;

        /// Writes factor * acc to the `count` rows of `gradient`, and 0 for what was not computed.
        template <class T>
        static TEGULA_INLINE void store(const accumulators& acc, const internal::head_rows<T>& gradient, index_t row,
                                        index_t count, index_t columns, float factor, const char* name)
        {
            using stage = packed_output<panels<Columns>>;
            const auto view = make_tensor_view<Target, address_space::global>(
                gradient.row(row),
                make_strided_descriptor(make_tuple(count, columns), make_tuple(gradient.row_stride, constant<1>{})),
                name);
            accumulators_in_memory<float> part = acc.view();
            part.columns = columns;
            part.rows = part.is_zero ? 0 : min(acc.rows, count);
            for (index_t i = 0; i < part.rows && factor != 1; ++i)
                row_operations::scale(acc.row(i), acc.columns, factor);
            const auto window = make_tile_window<typename stage::pass_distribution>(view, {0, 0});
            stage::store_rows(part, window);
            auto rest = window;
            rest.move({part.rows, 0});
            part.rows = min(Rows, count) - part.rows;
            part.is_zero = true;
            stage::store_rows(part, rest);
        }
    };
    using over_head = gradient_rows<first_head_byte, head_pitch>;
    using over_value = gradient_rows<first_value_byte, value_pitch>;

    template <class, class>
    static consteval bool check()
    {
        return true;
    }
    static TEGULA_INLINE void keep(const kept_head&, const kept_value&) {}

    /// kept B^T for the tile.
    template <class Kept, class Tiles>
    static TEGULA_INLINE score_tensor multiply_along(const Kept& kept, const Tiles& tiles, int)
    {
        typename Kept::scores acc;
        acc.clear();
        tiles.along.multiply(acc, packed_panel{kept.loader.panel, kept.loader.extent});
        return {acc.data, acc.rows};
    }
    /// acc += c B for the tile.
    template <class Product, class Tiles>
    static TEGULA_INLINE void multiply_across(typename Product::accumulators& acc, const score_tensor& c,
                                              const Tiles& tiles, int)
    {
        tiles.across.multiply(acc, packed_panel{reinterpret_cast<const std::byte*>(c.data), c.rows});
    }
};

namespace detail {

/// The products of 84 rows pay for the packing of 64. A block has 600 KB with 256 columns, a third of that with 64.
template <class Target, class Element, index_t HeadDim, index_t ValueDim, change_cost Cost>
    requires(Target::vendor == vendor::x86)
struct attention_gradient_tile_of<Target, Element, HeadDim, ValueDim, Cost>
{
    using type = cpu_gradient_tile<Target, Element, cpu_attention_instruction<Target>, 84, 64, HeadDim, ValueDim>;
    static constexpr bool split = false;
};

} // namespace detail

/// Computes probabilities and gradients from scores and their gradients, as on other targets, element by element.
template <class Target, class Operations, index_t Rows, index_t Columns, class Variant, class Score, bool KeysAreRows>
struct attention_score_gradients<Target, packed_grid<Operations, Rows, Columns>, Variant, Score, KeysAreRows>
{
    static constexpr bool plain_scores = std::is_same_v<Score, unchanged_score>;
    static constexpr bool goes_by_pairs = false;
    using tile = packed_grid_tile<packed_grid<Operations, Rows, Columns>>;

    /// Numbers of queries in memory.
    struct query_numbers
    {
        const float* data;
        TEGULA_INLINE float operator[](index_t i) const { return internal::read_scalar<Target>(data + i); }
    };
    static TEGULA_INLINE query_numbers load_numbers(const float* head, index_t, index_t query, const char*)
    {
        return {head + query};
    }

    static TEGULA_INLINE bool any_is_far(const float* head, index_t padded_rows, index_t query)
    {
        bool far = false;
        for (index_t i = query; i < min(query + (KeysAreRows ? Columns : Rows), padded_rows); ++i)
            far |= is_far_exponent(internal::read_scalar<Target>(head + i));
        return far;
    }

    /// The gradient of one element of the bias.
    struct bias_gradient
    {
        attention_place at;
        float dx;
    };

    /// take_dx(gradient) is called for each element of a bias.
    template <bool WithGradients, class Arguments, class TakeDx>
    static TEGULA_INLINE void compute(tile& s, tile& dp, const query_numbers& normalizers, const query_numbers& deltas,
                                      bool far, const attention_backward_workspace& workspace, const Arguments& args,
                                      const attention_sequence& sequence, const attention_place& at,
                                      const TakeDx& take_dx)
    {
        static_assert(WithGradients);
        constexpr index_t keys = KeysAreRows ? Rows : Columns, queries = KeysAreRows ? Columns : Rows;
        const bool whole = at.key + keys <= sequence.keys &&
                           (Variant::mask == attention_mask::none ||
                            (Variant::mask == attention_mask::band &&
                             sequence.all_visible(at.query, at.query + queries, at.key, at.key + keys)));
        const float to_exponent = args.forward.scale * log2_of_e;
        constexpr bool plain = plain_scores && Variant::bias == attention_bias::none && !Variant::dropout;
        const float* const logarithms =
            workspace.logarithms + workspace.offset(at.batch, args.forward.heads, at.head) + at.query;
        if (plain && whole && !far)
            Operations::change_both(s.data, dp.data, Columns, s.rows, Columns,
                                    [&](float& p, float& d, const multi_index<2>& x) {
                                        const index_t query = KeysAreRows ? x[1] : x[0];
                                        p = Target::exp2(multiply_add(p, to_exponent, -normalizers[query]));
                                        d = p * (d - deltas[query]);
                                    });
        else
            Operations::change_both(
                s.data, dp.data, Columns, s.rows, Columns, [&](float& p, float& d, const multi_index<2>& x) {
                    const index_t query = KeysAreRows ? x[1] : x[0];
                    const index_t key = KeysAreRows ? x[0] : x[1];
                    compute_one(p, d, internal::read_scalar<Target>(logarithms + query), deltas[query], args, sequence,
                                attention_place{at.batch, at.head, at.query + query, at.key + key}, take_dx);
                });
    }

    /// Adds the gradient of an element to the bias's.
    template <class Arguments>
    static TEGULA_INLINE void add_bias_gradient(const bias_gradient& gradient, const Arguments& args,
                                                const attention_sequence&, const attention_place&)
    {
        const auto& b = args.d_bias;
        const attention_place& at = gradient.at;
        if (b.data != nullptr)
            Target::atomic_add(b.data + at.batch * b.batch_stride + at.head * b.head_stride +
                                   at.query * b.query_stride + at.key * b.key_stride,
                               gradient.dx);
    }

private:
    template <class Arguments, class TakeDx>
    static TEGULA_INLINE void compute_one(float& s, float& dp, float lse, float delta, const Arguments& args,
                                          const attention_sequence& sequence, const attention_place& at,
                                          [[maybe_unused]] const TakeDx& take_dx)
    {
        const auto& forward = args.forward;
        const bool inside = at.query < sequence.queries && at.key < sequence.keys;
        const float z = rounded_product(forward.scale, s);
        [[maybe_unused]] const attention_place asked = internal::place_for<Score>(at, sequence.queries, sequence.keys);
        const float x = add_bias(s, forward.score(z, asked), args, sequence, at, inside);
        float p = inside && is_visible(args, sequence, at) ? far_probability<Target>(x, lse) : 0.0f;
        float keep = 1;
        if constexpr (Variant::dropout) {
            const attention_dropout_mask mask{forward.dropout,
                                              static_cast<std::uint32_t>(at.batch) * forward.heads + at.head};
            keep = mask.keeps(at.query, at.key) ? mask.factor() : 0.0f;
        }
        const float dx = p * (rounded_product(dp, keep) - delta);
        s = p * keep;
        if constexpr (Variant::bias == attention_bias::tensor)
            if (inside)
                take_dx(bias_gradient{at, dx});
        dp = dx;
        if constexpr (!plain_scores)
            dp *= forward.score.derivative(z, asked);
    }

    /// A score with its bias. If scale and bias are one multiply-add in the forward pass, it is computed from q . k.
    template <class Arguments>
    static TEGULA_INLINE float add_bias([[maybe_unused]] float product, float score,
                                        [[maybe_unused]] const Arguments& args,
                                        [[maybe_unused]] const attention_sequence& sequence,
                                        [[maybe_unused]] const attention_place& at, [[maybe_unused]] bool inside)
    {
        if constexpr (Variant::bias == attention_bias::tensor) {
            const auto& b = args.forward.bias;
            const float bias =
                internal::read_scalar<Target>(b.data + at.batch * b.batch_stride + at.head * b.head_stride +
                                                  at.query * b.query_stride + at.key * b.key_stride,
                                              inside);
            return plain_scores ? multiply_add(product, args.forward.scale, bias) : score + bias;
        } else if constexpr (Variant::bias == attention_bias::alibi) {
            const auto& alibi = args.forward.alibi;
            const index_t distance = at.query + sequence.shift - at.key;
            return multiply_add(-alibi.slopes[at.batch * alibi.batch_stride + at.head],
                                static_cast<float>(distance < 0 ? -distance : distance), score);
        } else {
            return score;
        }
    }

    /// Precondition: query and key exist.
    template <class Arguments>
    static TEGULA_INLINE bool is_visible(const Arguments& args, const attention_sequence& sequence,
                                         const attention_place& at)
    {
        if (!internal::is_shown(args.forward.score, at))
            return false;
        if constexpr (Variant::mask == attention_mask::boolean) {
            const auto& m = args.forward.boolean;
            if (internal::read_scalar<Target>(m.data + at.batch * m.batch_stride + at.head * m.head_stride +
                                              at.query * m.query_stride + at.key * m.key_stride) == 0)
                return false;
        }
        return Variant::mask == attention_mask::none || sequence.visible(at.query, at.key);
    }
};

/// On a CPU a block takes Rows queries, one after the other.
template <class Target, class Element, index_t ValueDim, class Gradient, class Score, index_t Rows, int Waves>
    requires(Target::wave_size == 1)
struct attention_output_sums<Target, Element, ValueDim, Gradient, Score, 0, Rows, Waves>
{
    using target = Target;
    using arguments = attention_gradient_arguments<Element, Element, Gradient, Score>;
    static constexpr int block_threads = 1;
    static constexpr index_t shared_bytes = 0;

    /// Blocks to launch.
    static constexpr long_index_t blocks(const arguments& args)
    {
        return args.workspace.padded_rows / Rows * args.problem.forward.batch * args.problem.forward.heads;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const auto& problem = args.problem;
        const auto& forward = problem.forward;
        const index_t tiles = args.workspace.padded_rows / Rows, block = target::block_id()[0];
        const index_t head = block / tiles % forward.heads, batch = block / tiles / forward.heads;
        const auto sequence = attention_sequence::at(forward, batch);
        const auto o = internal::head_of(forward.o, sequence.query_batch, head, sequence.first_query);
        const auto d_o = internal::head_of(problem.d_o, sequence.query_batch, head, sequence.first_query);
        const float* const lse = forward.lse.data + sequence.query_batch * forward.lse.batch_stride +
                                 head * forward.lse.head_stride + sequence.first_query;
        const long_index_t numbers = args.workspace.offset(batch, forward.heads, head);
        const index_t first = block % tiles * Rows;
        for (index_t query = first; query < first + Rows; ++query) {
            const bool there = query < sequence.queries;
            float sum = 0;
            for (index_t j = 0; j < forward.value_dim && there; ++j)
                sum += convert<float>(internal::read_scalar<target>(o.row(query) + j)) *
                       convert<float>(internal::read_scalar<target>(d_o.row(query) + j));
            float logarithm = there ? internal::read_scalar<target>(lse + query) : -internal::infinity;
            if (logarithm == -internal::infinity)
                logarithm = internal::infinity;
            internal::write_scalar<target>(args.workspace.normalizers + numbers + query, exponent_of_lse(logarithm));
            internal::write_scalar<target>(args.workspace.logarithms + numbers + query, logarithm);
            internal::write_scalar<target>(args.workspace.deltas + numbers + query, sum);
        }
    }
};

/// The gradients of sinks on a CPU.
template <class Target, class Element, class Gradient, class Score>
    requires(Target::wave_size == 1)
struct attention_sink_gradients<Target, Element, Gradient, Score>
{
    using target = Target;
    using arguments = attention_gradient_arguments<Element, Element, Gradient, Score>;
    static constexpr int block_threads = 1;
    static constexpr index_t shared_bytes = 0;

    /// Blocks to launch.
    static constexpr long_index_t blocks(const arguments& args) { return args.problem.forward.heads; }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const auto& forward = args.problem.forward;
        const index_t head = target::block_id()[0];
        const float sink = forward.sinks[head];
        float total = 0;
        for (long_index_t batch = 0; batch < forward.batch; ++batch) {
            const long_index_t numbers = args.workspace.offset(batch, forward.heads, head);
            for (index_t row = 0; row < args.workspace.padded_rows; ++row)
                total = multiply_add(-far_probability<target>(sink, internal::read_scalar<target>(
                                                                        args.workspace.logarithms + numbers + row)),
                                     internal::read_scalar<target>(args.workspace.deltas + numbers + row), total);
        }
        target::atomic_add(args.problem.d_sinks + head, total);
    }
};

} // namespace tegula
