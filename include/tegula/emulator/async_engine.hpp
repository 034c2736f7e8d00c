#pragma once

#include <tegula/emulator/async_runtime.hpp>
#include <tegula/emulator/bulk_unit.hpp>
#include <tegula/emulator/event_log.hpp>
#include <tegula/emulator/launch_control_unit.hpp>
#include <tegula/emulator/register_unit.hpp>
#include <tegula/emulator/shared_tiles.hpp>
#include <tegula/emulator/tensor_memory_unit.hpp>

#include <bit>

namespace tegula::emulator::detail {

/// Clusters, mbarriers, bulk copies and register pools of the blocks that run together.
class async_engine final : public async_runtime, private fault_holder
{
public:
    async_engine(cluster_state& cluster, runtime& run) : cluster_(cluster), run_(run) {}

    void begin_cluster(cluster_line* line)
    {
        launches_.begin_cluster(line);
        mbarriers_.begin_cluster();
        bulk_.begin_cluster();
        registers_.begin_cluster();
        tiles_.begin_cluster();
        has_tensor_memory_ = cluster_.plan->chip->tensor_columns > 0;
        if (has_tensor_memory_)
            tensor_.begin_cluster();
        else
            tensor_.begin_without();
        arrived_.assign(cluster_.waves.size(), false);
        passed_.assign(cluster_.waves.size(), false);
        sharing_.assign(cluster_.waves.size(), false);
        gathering_.reset(cluster_.timelines, cluster_.async_proxy);
    }

    void mbarrier_init(lane_state& me, void* barrier, int arrivals) override
    {
        run_.end_on_fault(me, mbarriers_.init(me, barrier, arrivals));
    }
    void mbarrier_invalidate(lane_state& me, void* barrier) override
    {
        run_.end_on_fault(me, mbarriers_.invalidate(me, barrier));
    }
    void mbarrier_arrive(lane_state& me, void* barrier, int arrivals, int expected_bytes, thread_scope scope) override
    {
        run_.end_on_fault(me, mbarriers_.arrive(me, barrier, arrivals, expected_bytes, scope));
        run_.note_atomic(me, barrier, true);
    }
    void mbarrier_expect(lane_state& me, void* barrier, int bytes) override
    {
        run_.end_on_fault(me, mbarriers_.expect(me, barrier, bytes));
    }
    void mbarrier_wait(lane_state& me, void* barrier, int parity, thread_scope scope) override
    {
        run_.end_on_fault(me, mbarriers_.wait(me, barrier, parity, scope));
        run_.note_atomic(me, barrier, false);
        if (has_tensor_memory_ && me.checks)
            tensor_.retire(me);
    }
    bool mbarrier_test(lane_state& me, void* barrier, int parity) override
    {
        bool passed = false;
        run_.end_on_fault(me, mbarriers_.test(me, barrier, parity, passed));
        if (!passed) {
            me.wave->polls_memory = false;
            run_.yield(me);
        } else
            run_.note_atomic(me, barrier, false);
        if (passed && has_tensor_memory_ && me.checks)
            tensor_.retire(me);
        return passed;
    }
    void fence_mbarrier_init(lane_state& me) override { mbarriers_.publish(me); }
    void fence_proxy(lane_state& me, bool global) override
    {
        mbarriers_.publish(me);
        cluster_.fence_proxy(me, global);
    }

    void bulk_load(lane_state& me, void* shared, const bulk_place& from, void* barrier, std::uint32_t blocks) override
    {
        note_touch(me, from, shared);
        run_.end_on_fault(me, bulk_.load(me, shared, from, barrier, blocks));
    }
    void acquire_map(lane_state& me, const tensor_map& map) override { bulk_.acquire(me, map); }
    void bulk_store(lane_state& me, const bulk_place& to, const void* shared, bulk_action action) override
    {
        note_touch(me, to, shared);
        run_.end_on_fault(me, bulk_.store(me, to, shared, action));
    }
    void store_async(lane_state& me, void* shared, const void* value, void* barrier) override
    {
        me.wave->trail += event_log::hash(shared);
        run_.end_on_fault(me, bulk_.store_async(me, shared, value, barrier));
    }
    void bulk_commit(lane_state& me) override { bulk_.commit(me); }
    void bulk_wait(lane_state& me, int groups_in_flight, bool read_only) override
    {
        bulk_.wait(me, groups_in_flight, read_only);
    }

    void cancel_launch(lane_state& me, void* response, void* barrier, bool multicast) override
    {
        run_.end_on_fault(me, launches_.cancel(me, response, barrier, multicast));
    }
    bool read_response(lane_state& me, const void* response, extent3& first_block) override
    {
        bool canceled = false;
        run_.end_on_fault(me, launches_.read(me, response, canceled, first_block));
        return canceled;
    }

    void wait_for_previous_grid(lane_state& me) override
    {
        cluster_.global.previous().note_wait(cluster_.observer_of(me).stamp);
    }

    void cluster_arrive(lane_state& last, bool shared_only) override
    {
        const auto wave = static_cast<std::size_t>(last.wave->timeline);
        if (arrived_[wave] || passed_[wave])
            run_.end_on_fault(last, blame("cluster_arrive again without cluster_wait between",
                                          "let every wave arrive and wait in turn"));
        arrived_[wave] = true;
        tensor_.arrive_at_cluster(*last.wave);
        if (shared_only) {
            knowledge told;
            told.reset(cluster_.timelines, cluster_.async_proxy);
            cluster_.release(*last.wave, told);
            gathering_.join_shared(told, cluster_.timelines);
            run_.note_atomics(*last.wave, &gathering_, true); // it carries what earlier fences released
        } else {
            cluster_.release(*last.wave, gathering_);
        }
        detail::release_wave(last);
        open_if_all_there();
    }
    void cluster_arrive_relaxed(lane_state& last) override
    {
        const auto wave = static_cast<std::size_t>(last.wave->timeline);
        if (arrived_[wave] || passed_[wave])
            run_.end_on_fault(last, blame("cluster_arrive again without cluster_wait between",
                                          "let every wave arrive and wait in turn"));
        arrived_[wave] = true;
        tensor_.arrive_at_cluster(*last.wave);
        mbarriers_.announce(*last.wave);
        detail::release_wave(last);
        open_if_all_there();
    }

    void cluster_wait(lane_state& last, bool shared_only) override
    {
        wave_state& wave = *last.wave;
        const auto number = static_cast<std::size_t>(wave.timeline);
        if (!arrived_[number] && !passed_[number])
            run_.end_on_fault(
                last, blame("cluster_wait without cluster_arrive before it", "let every wave arrive and wait in turn"));
        cluster_.meet(wave);
        sharing_[number] = shared_only;
        detail::release_wave(last);
        if (passed_[number]) {
            pass(wave);
            return;
        }
        wave.ready = 0;
        wave.waits_at = waiting_at;
        wave.waits_id = 0;
        run_.suspend(last);
    }

    void share_tile(lane_state& me, const tensor_tile_words& request) override
    {
        run_.end_on_fault(me, tiles_.add(me.block->rank, request));
    }

    void set_registers(lane_state& last, int registers, bool increase) override
    {
        registers_.set(last, registers, increase);
    }

    void tensor_allocate(lane_state& last, int columns, int blocks) override
    {
        tensor_.allocate(last, columns, blocks);
    }
    void tensor_deallocate(lane_state& last, std::uint32_t address, int columns, int blocks) override
    {
        tensor_.deallocate(last, address, columns, blocks);
    }
    void tensor_relinquish(lane_state& last, int blocks) override
    {
        run_.end_on_fault(last, tensor_.relinquish(last, blocks));
    }
    void tensor_fence(lane_state& me, bool before) override { tensor_.fence(me, before); }
    void tensor_issue(lane_state& me, tensor_operation& operation) override
    {
        run_.end_on_fault(me, tensor_.issue(me, operation));
    }
    void tensor_commit(lane_state& me, void* barrier, std::uint32_t ranks, int blocks) override
    {
        run_.end_on_fault(me, tensor_.commit(me, barrier, ranks, blocks));
    }
    void tensor_access(lane_state& last, bool stores, tegula::tensor_access shape, int registers, int second) override
    {
        run_.end_on_fault(last, tensor_.access(last, stores, shape, registers, second));
    }
    void tensor_wait(lane_state& last, bool stores) override { run_.end_on_fault(last, tensor_.wait(last, stores)); }

    /// An access to the shared memory of another block of the cluster.
    const fault* check_remote(lane_state& me, bool store, const void* address, int bytes)
    {
        const block_state* block = cluster_.holder_of(me, address);
        if (block == nullptr) // in no block: the lane's own checker reports the place
            return cluster_.checker_of(me).shared().access(me, cluster_.observer_at_line(me), store, address, bytes);
        if (const fault* f = mbarriers_.touch_peer(me, *block, store ? "shared store" : "shared load"))
            return f;
        return cluster_.checker_of(*block).shared().access(me, cluster_.observer_at_line(me), store, address, bytes);
    }

    void finish_lane(lane_state& me) { run_.end_on_fault(me, bulk_.finish(me)); }
    void finish_wave(lane_state& last)
    {
        open_if_all_there();
        block_state& block = cluster_.blocks[static_cast<std::size_t>(last.block->rank)];
        for (const wave_state& wave : cluster_.waves)
            if (cluster_.lanes_of(wave)->block == &block && wave.finished != wave.all)
                return;
        block.left = true;
        const auto waves = static_cast<int>(cluster_.waves.size() / cluster_.blocks.size());
        if (last.checks && !cluster_.global.previous().waited(block.rank * waves, waves))
            run_.end_on_fault(
                last, blame("the block returns without wait_for_previous_grid(), and the launch before may still run",
                            "call it in every block: the launch behind takes the end of this one for the end of all"));
        if (last.checks)
            run_.end_on_fault(last, mbarriers_.check_block_exit(block));
        if (last.checks)
            run_.end_on_fault(last, tiles_.check_block_exit(block.rank));
        if (last.checks)
            run_.end_on_fault(last, registers_.check_block_exit(block));
        if (last.checks && has_tensor_memory_)
            run_.end_on_fault(last, tensor_.check_block_exit(block));
    }

    std::string describe_waits(const wave_state& wave) const { return mbarriers_.describe_waits(wave); }
    static bool waits_for_tensor_memory(const wave_state& wave)
    {
        return wave.waits_at == tensor_memory_unit::waiting_at;
    }
    /// The registers or tensor memory that the wave waits for and lacks; empty if it waits for none.
    std::string describe_registers(const wave_state& wave)
    {
        if (waits_for_tensor_memory(wave))
            return tensor_.describe_wait(wave);
        return wave.waits_at == register_unit::waiting_at ? registers_.describe_wait(wave) : "";
    }

private:
    static constexpr const char* waiting_at = "cluster_wait";

    static void note_touch(lane_state& me, const bulk_place& place, const void* shared)
    {
        std::uint64_t places = event_log::hash(place.map) + event_log::hash(place.global) + event_log::hash(shared);
        for (int i = 0; i < place.rank; ++i)
            places = event_log::hash(places + static_cast<std::uint64_t>(place.x[i]));
        me.wave->trail += places;
    }

    /// The cluster barrier opens when every wave that has not returned has arrived.
    void open_if_all_there()
    {
        bool any = false;
        for (const wave_state& wave : cluster_.waves) {
            const bool arrived = arrived_[static_cast<std::size_t>(wave.timeline)];
            if (!arrived && wave.finished != wave.all)
                return;
            any = any || arrived;
        }
        if (!any)
            return;
        opened_ = gathering_;
        for (wave_state& wave : cluster_.waves) {
            const auto number = static_cast<std::size_t>(wave.timeline);
            passed_[number] = arrived_[number];
            arrived_[number] = false;
            if (passed_[number] && wave.waits_at == waiting_at) {
                pass(wave);
                wave.ready = wave.all;
                wave.waits_at = nullptr;
            }
        }
        ++cluster_.totals.barriers;
    }
    /// The wave acquires what all did before they arrived.
    void pass(const wave_state& wave)
    {
        const auto number = static_cast<std::size_t>(wave.timeline);
        passed_[number] = false;
        if (sharing_[number]) {
            cluster_.known[number].join_shared(opened_, cluster_.timelines);
            run_.note_atomics(wave, &gathering_, false);
        } else {
            cluster_.known[number].join(opened_);
        }
        mbarriers_.learn(wave);
        tensor_.meet_cluster(wave);
        cluster_.tick(wave);
    }

    cluster_state& cluster_;
    runtime& run_;
    mbarrier_unit mbarriers_{cluster_, run_};
    bulk_unit bulk_{cluster_, mbarriers_};
    launch_control_unit launches_{cluster_, bulk_};
    register_unit registers_{cluster_, run_};
    shared_tiles tiles_;
    tensor_memory_unit tensor_{cluster_, mbarriers_, run_};
    bool has_tensor_memory_ = false;
    std::vector<bool> arrived_; // waves at the cluster barrier
    std::vector<bool> passed_;  // and those that may go on
    std::vector<bool> sharing_; // waves whose wait orders shared memory alone
    knowledge gathering_;
    knowledge opened_;
};

} // namespace tegula::emulator::detail
