#pragma once

#include <tegula/block/softmax_rows.hpp>
#include <tegula/kernel/attention/backward/workspace.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

/// The normalizers and deltas of tiles of queries, on their way through shared memory a step ahead. A lane loads one
/// number.
///
///   Stages  stages of the tiles' ring
template <class Target, index_t Queries, int Stages>
struct passing_numbers
{
    static_assert(
        Queries == Target::wave_size / 2,
        "tegula: a lane passes one of two numbers of each query; take half as many queries as a wave has lanes");
    static constexpr index_t bytes = Stages * 2 * Queries * static_cast<index_t>(sizeof(float));

    float* memory;    ///< `bytes` bytes of shared memory: normalizers and deltas of each stage
    bool far = false; ///< whether is_far_exponent holds for a normalizer of the tile that was stored last
    float own = 0;    ///< of the next tile

    /// Starts a tile whose first query has the number `query` in the workspace's arrays.
    TEGULA_INLINE void load(const attention_backward_workspace& workspace, long_index_t query)
    {
        const index_t lane = Target::lane_id();
        const float* const from = lane < Queries ? workspace.normalizers : workspace.deltas;
        own = internal::read_scalar<Target, address_space::global>(from + query + lane % Queries, true);
    }
    /// Completes load(). No lane may still be reading the tile before it.
    ///
    ///   Negative  whether deltas have the other sign in shared memory
    template <bool Negative = false>
    TEGULA_INLINE void store(int slot)
    {
        const bool is_normalizer = Target::lane_id() < Queries;
        far = Target::any_lane(is_normalizer && is_far_exponent(own));
        const float stored = !Negative || is_normalizer ? own : -own;
        internal::write_vector<Target, address_space::shared, 1>(stage(slot) + Target::lane_id(),
                                                                 array<float, 1>{stored}, Target::wave_id() == 0);
    }
    TEGULA_INLINE const float* normalizers(int slot) const { return stage(slot); }
    TEGULA_INLINE const float* deltas(int slot) const { return stage(slot) + Queries; }

private:
    TEGULA_INLINE float* stage(int slot) const { return Stages == 1 ? memory : memory + slot * 2 * Queries; }
};

/// These numbers in registers, where shared memory has no room for them: each lane loads those that it needs.
///
///   Gradients  an attention_score_gradients
template <class Target, index_t Queries, class Gradients>
struct waiting_numbers
{
    bool far = false;                                      ///< that of passing_numbers
    typename Gradients::query_numbers normalizers, deltas; ///< of the next tile, once it is loaded
    float own = 0;                                         ///< a normalizer of it

    TEGULA_INLINE void load(const attention_backward_workspace& workspace, long_index_t query)
    {
        normalizers = Gradients::load_numbers(workspace.normalizers + query, Queries, 0, "normalizers");
        deltas = Gradients::load_numbers(workspace.deltas + query, Queries, 0, "deltas");
        own = internal::read_scalar<Target, address_space::global>(
            workspace.normalizers + query + Target::lane_id() % Queries, true);
    }
    TEGULA_INLINE void store(int) { far = Target::any_lane(is_far_exponent(own)); }
};

} // namespace tegula
