#pragma once

#include <tegula/block/stage_pipeline.hpp>
#include <tegula/block/tensor_operand.hpp>
#include <tegula/kernel/attention/backward/tensor_copy_part.hpp>

namespace tegula {

/// The wave that loads the kept rows, and tile after tile of those that go by; nothing if there are none. If a tile has
/// room for numbers of queries, it also gets those of the queries that go by.
///
///   Tile  a tcgen05_gradient_tile or warp_specialized_gradient_tile
///   Part  a tensor_copy_gradient_part
template <class Tile, class Part, class Arguments>
class gradient_row_producer
{
public:
    /// args  a tensor_copy_gradient_arguments
    TEGULA_INLINE gradient_row_producer(const Arguments& args, const tensor_copy_gradient_maps& maps,
                                        typename Tile::control& shared, const Part& all)
        : args_(args), maps_(maps), shared_(shared), all_(all)
    {}

    /// Run by one wave.
    TEGULA_INLINE void run() const
    {
        if (all_.steps == 0)
            return; // no role would wait for the kept rows
        if constexpr (Part::any_length) {
            copy_and_clear();
        } else {
            if (arch::nvidia::elect_one()) {
                copy_kept(&shared_.kept);
                ring stage;
                attention_place at = all_.first_place();
                TEGULA_ROLLED
                for (index_t step = 0; step < all_.steps; ++step, stage.advance(), all_.advance(at))
                    fill(at, stage);
            }
            target::wave_barrier();
        }
    }

private:
    using target = typename Tile::target;
    using ring = stage_position<Tile::stages>;
    using head = typename Tile::kept_head;
    using value = typename Tile::kept_value;
    using kept_head = tensor_operand<head, 1>;
    using kept_value = tensor_operand<value, 1>;
    using passing_head = tensor_operand<typename Tile::passing_head, 1>;
    using passing_value = tensor_operand<typename Tile::passing_value, 1>;
    static constexpr bool keeps_keys = Part::keeps_keys;
    static constexpr bool with_numbers = keeps_keys && Tile::number_bytes > 0;
    static constexpr index_t number_bytes = with_numbers ? Tile::number_bytes : 0;
    static constexpr index_t head_bytes = Tile::passing_head::bytes + number_bytes;
    static constexpr index_t value_bytes = Tile::passing_value::bytes + number_bytes;
    static constexpr index_t stage_bytes = head_bytes + value_bytes;
    /// Whether rows of dO or V have mbarriers of their own: their memory is free later than that of Q or K. Then rows of
    /// other sequences become zeros before the next loads, which wait for products of the tile before.
    static constexpr bool parts_stages = requires(typename Tile::control& c) { c.passing_values; };

    static TEGULA_INLINE std::byte* stage_memory(int stage)
    {
        return target::shared_memory() + Tile::first_stage_byte + stage * Tile::stage_bytes;
    }
    TEGULA_INLINE index_t passing_row(const attention_place& at) const { return keeps_keys ? at.query : at.key; }

    /// Run by one lane.
    TEGULA_INLINE void copy_kept(arch::nvidia::mbarrier* full) const
    {
        using enum arch::nvidia::l2_hint;
        const attention_sequence& s = all_.sequence;
        std::byte* const memory = target::shared_memory();
        const array<int, 2> outer{keeps_keys ? all_.kv_head : all_.first_head,
                                  static_cast<int>(keeps_keys ? s.key_batch : s.query_batch)};
        const index_t first = all_.row + (keeps_keys ? s.first_key : s.first_query);
        arch::nvidia::mbarrier_arrive_expect(full, Tile::first_stage_byte);
        TEGULA_ROLLED // this lane has few registers
            for (index_t part = 0; part < Tile::rows / head::mn; ++part)
        {
            const index_t row = first + part * head::mn;
            kept_head::template load<evict_first>(memory + part * head::bytes, keeps_keys ? maps_.k : maps_.q, row, 0,
                                                  outer, full, 0, 0);
            kept_value::template load<evict_first>(memory + Tile::kept_value_byte + part * value::bytes,
                                                   keeps_keys ? maps_.v : maps_.d_o, row, 0, outer, full, 0, 0);
        }
    }
    /// Run by one lane: loads a tile once its stage is free.
    TEGULA_INLINE void fill(const attention_place& at, const ring& stage) const
    {
        if constexpr (parts_stages)
            copy_passing(at, stage, shared_.passing.claim(stage, head_bytes),
                         [&] { return shared_.passing_values.claim(stage, value_bytes); });
        else
            copy_all(at, stage, shared_.passing.claim(stage, stage_bytes));
    }
    TEGULA_INLINE void copy_all(const attention_place& at, const ring& stage, arch::nvidia::mbarrier* full) const
    {
        copy_passing(at, stage, full, [&] { return full; });
    }
    /// Run by one lane.
    ///
    ///   full          counts the bytes of Q or K
    ///   claim_values  returns what counts those of dO or V
    template <class ClaimValues>
    TEGULA_INLINE void copy_passing(const attention_place& at, const ring& stage, arch::nvidia::mbarrier* full,
                                    const ClaimValues& claim_values) const
    {
        using enum arch::nvidia::l2_hint;
        const attention_sequence& s = all_.sequence;
        const array<int, 2> outer{keeps_keys ? at.head : all_.kv_head,
                                  static_cast<int>(keeps_keys ? s.query_batch : s.key_batch)};
        const index_t row = passing_row(at) + (keeps_keys ? s.first_query : s.first_key);
        std::byte* const to = stage_memory(stage.stage);
        [[maybe_unused]] long_index_t from = 0;
        [[maybe_unused]] std::byte* const numbers = target::shared_memory() + number_byte(stage.stage);
        passing_head::template load<normal>(to, keeps_keys ? maps_.q : maps_.k, row, 0, outer, full, 0, 0);
        if constexpr (with_numbers) {
            from = args_.workspace.offset(at.batch, args_.problem.forward.heads, at.head) + at.query;
            arch::nvidia::bulk_load(numbers, args_.workspace.normalizers + from, number_bytes, full);
        }
        arch::nvidia::mbarrier* const value_full = claim_values();
        passing_value::template load<normal>(to + Tile::passing_head::bytes, keeps_keys ? maps_.d_o : maps_.v, row, 0,
                                             outer, value_full, 0, 0);
        if constexpr (with_numbers)
            arch::nvidia::bulk_load(numbers + number_bytes, args_.workspace.deltas + from, number_bytes, value_full);
    }
    static TEGULA_INLINE index_t number_byte(int stage)
    {
        if constexpr (with_numbers)
            return Tile::number_byte(stage);
        else
            return 0;
    }

    /// The loads if rows of other sequences may follow a sequence's. These become zeros before a consumer reads them: they
    /// may be infinite, which products with 0 would not hide. That is done one step later, behind the next loads, or at once if
    /// stages are in parts.
    TEGULA_INLINE void copy_and_clear() const
    {
        const bool copies = arch::nvidia::elect_one();
        const index_t own_kept = all_.kept_before_others();
        if (copies)
            copy_kept(own_kept > 0 ? &shared_.kept_with_others : &shared_.kept);
        ring stage;
        attention_place at = all_.first_place();
        ring partial; // the stage whose rows are to be cleared
        index_t own = 0;
        int cleared = 0; // they have two mbarriers in turns: the next one's loads may have started
        TEGULA_ROLLED
        for (index_t step = 0; step <= all_.steps; ++step) {
            const bool inside = step < all_.steps;
            const index_t next_own = inside ? all_.passing_before_others(passing_row(at)) : 0;
            if (copies && inside) {
                arch::nvidia::mbarrier* full = &shared_.passing_with_others[(cleared + (own > 0 ? 1 : 0)) % 2];
                if (next_own > 0) {
                    shared_.passing.claim_made(stage);
                    if constexpr (parts_stages)
                        shared_.passing_values.claim_made(stage);
                    arch::nvidia::mbarrier_arrive_expect(full, stage_bytes);
                    copy_all(at, stage, full);
                } else {
                    fill(at, stage);
                }
            }
            target::wave_barrier();
            if (step == 0 && own_kept > 0)
                clear_kept(own_kept);
            if constexpr (parts_stages) {
                own = next_own;
                partial = stage;
            }
            if (own > 0) {
                arch::nvidia::mbarrier_wait(&shared_.passing_with_others[cleared % 2], cleared / 2 % 2);
                ++cleared;
                std::byte* const memory = stage_memory(partial.stage);
                passing_head::template clear_lines<target>(memory, own);
                passing_value::template clear_lines<target>(memory + Tile::passing_head::bytes, own);
                shared_.passing.template publish_made<target>(partial);
                if constexpr (parts_stages)
                    shared_.passing_values.template publish_made<target>(partial);
            }
            own = parts_stages ? 0 : next_own;
            partial = stage;
            stage.advance();
            if (inside)
                all_.advance(at);
        }
    }
    TEGULA_INLINE void clear_kept(index_t own) const
    {
        arch::nvidia::mbarrier_wait(&shared_.kept_with_others, 0);
        std::byte* const memory = target::shared_memory();
        TEGULA_ROLLED
        for (index_t part = 0; part < Tile::rows / head::mn; ++part) {
            const index_t first = min(max(own - part * head::mn, 0), index_t{head::mn});
            kept_head::template clear_lines<target>(memory + part * head::bytes, first);
            kept_value::template clear_lines<target>(memory + Tile::kept_value_byte + part * value::bytes, first);
        }
        arch::nvidia::fence_proxy_async();
        target::wave_barrier();
        if (target::lane_id() == 0)
            arch::nvidia::mbarrier_arrive(&shared_.kept);
    }

    const Arguments& args_;
    const tensor_copy_gradient_maps& maps_;
    typename Tile::control& shared_;
    const Part& all_;
};

/// Has the wave load the rows of a gradient_row_producer<Tile, ...>.
template <class Tile, class Part, class Arguments>
TEGULA_INLINE void copy_gradient_rows(const Arguments& args, const tensor_copy_gradient_maps& maps,
                                      typename Tile::control& shared, const Part& all)
{
    gradient_row_producer<Tile, Part, Arguments>(args, maps, shared, all).run();
}

} // namespace tegula
