#pragma once

#include <tegula/emulator/engine.hpp>
#include <tegula/emulator/run_config.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

/// The body of emulator::launch(); run_config.hpp says who includes it.
namespace tegula::emulator::detail {

/// Engines that are not running, with their stacks, for the next launch.
class engine_pool
{
public:
    static engine_pool& instance()
    {
        static engine_pool pool;
        return pool;
    }
    std::unique_ptr<engine> take(std::size_t stack_bytes)
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty() && idle_.back()->stack_bytes() >= stack_bytes) {
            auto found = std::move(idle_.back());
            idle_.pop_back();
            return found;
        }
        return std::make_unique<engine>(stack_bytes);
    }
    void give_back(std::unique_ptr<engine> used)
    {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(used));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<engine>> idle_;
};

/// One launch. All clusters run, also after a failed one: a conflict with any of them may have caused the failure, and
/// is reported first. Else the lowest failure is reported, for any number of CPU threads.
class launch_run final : public cluster_turns
{
public:
    launch_run(const launch_plan& plan, long clusters, std::size_t stack_bytes)
        : plan_(plan), clusters_(clusters), stack_bytes_(stack_bytes), failed_cluster_(clusters)
    {}

    void work()
    {
        std::unique_ptr<engine> own = engine_pool::instance().take(stack_bytes_);
        own->begin_launch(plan_, this);
        const interruptible guard(own->interrupted(), plan_.patience);
        if (plan_.resident == 0) {
            for (long cluster = next_++; cluster < clusters_ && !endless_; cluster = next_++) {
                run_cluster(*own, cluster, cluster, nullptr);
                end_turn(cluster);
            }
        } else {
            const long places = std::min<long>(plan_.resident, clusters_);
            for (long place = next_++; place < places && !endless_; place = next_++) {
                for (cluster_line line(plan_, clusters_, place); !line.ended() && !endless_;)
                    run_cluster(*own, line.start(), place, &line);
                end_turn(place);
            }
        }
        const std::lock_guard lock(mutex_);
        totals_ += own->totals();
        engine_pool::instance().give_back(std::move(own));
    }

    void wait_for_turn(long turn) override
    {
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return first_running_ == turn || endless_; });
        apply_additions(turn);
    }

    published_order& published() override { return published_; }

    launch_result finish()
    {
        launch_result result;
        result.counters = totals_;
        result.counters.shared_bytes = plan_.shared_bytes;
        look_for_conflicts();
        if (failure_.happened) {
            describe(result);
            return result;
        }
        apply_additions(clusters_);
        return result;
    }

private:
    void run_cluster(engine& own, long cluster, long turn, cluster_line* line)
    {
        const std::int64_t canceled = own.totals().canceled_clusters;
        keep(cluster, own.run_cluster(cluster, turn, line));
        const long group = own.publish(cluster) ? published_group : cluster;
        for (int rank = 0; rank < plan_.cluster_blocks(); ++rank)
            keep(cluster, group, plan_.number_of(plan_.block_of(cluster, rank)), own.traffic(rank));
        keep(turn, own.additions());
        keep(turn, cluster, own.undo());
        const auto ended = static_cast<long>(1 + own.totals().canceled_clusters - canceled);
        if (plan_.progress != nullptr)
            plan_.progress((ended_ += ended) * plan_.cluster_blocks(), clusters_ * plan_.cluster_blocks());
    }

    static constexpr long published_group = -1; // clusters whose accesses were checked in turn
    static constexpr std::size_t most_undo_bytes = std::size_t{32} << 20;
    struct cluster_undo
    {
        long turn;
        long kept; // how many were before
        long cluster;
        write_undo undo;
    };
    struct cluster_additions
    {
        long turn; // of the cluster
        long kept; // how many were before
        std::vector<deferred_add> list;
    };

    /// Applies the additions of clusters of turns up to that one that have ended.
    void apply_additions(long turn)
    {
        std::sort(additions_.begin(), additions_.end(),
                  [](const auto& a, const auto& b) { return a.turn != b.turn ? a.turn < b.turn : a.kept < b.kept; });
        const auto end = std::find_if(additions_.begin(), additions_.end(),
                                      [&](const auto& of_cluster) { return of_cluster.turn > turn; });
        for (auto of_cluster = additions_.begin(); of_cluster != end; ++of_cluster)
            for (const deferred_add& addition : of_cluster->list)
                addition.apply();
        additions_.erase(additions_.begin(), end);
    }
    void end_turn(long turn)
    {
        const std::lock_guard lock(mutex_);
        ended_early_.push_back(turn);
        std::push_heap(ended_early_.begin(), ended_early_.end(), std::greater<>());
        while (!ended_early_.empty() && ended_early_.front() == first_running_) {
            std::pop_heap(ended_early_.begin(), ended_early_.end(), std::greater<>());
            ended_early_.pop_back();
            ++first_running_;
        }
        turn_.notify_all();
    }

    void keep(long cluster, failure outcome)
    {
        const std::lock_guard lock(mutex_);
        endless_ = endless_ || outcome.endless;
        if (outcome.happened && cluster < failed_cluster_) {
            failed_cluster_ = cluster;
            failure_ = std::move(outcome);
        }
    }
    void keep(long turn, std::vector<deferred_add>& additions)
    {
        if (additions.empty())
            return;
        const std::lock_guard lock(mutex_);
        additions_.push_back({turn, kept_++, std::move(additions)});
    }
    /// Keeps what the cluster overwrote, on which it would have to run again after a conflict.
    void keep(long turn, long cluster, write_undo& undo)
    {
        if (!plan_.checks)
            return;
        const std::lock_guard lock(mutex_);
        undo_bytes_ += undo.memory_bytes();
        if (undo_bytes_ <= most_undo_bytes)
            undos_.push_back({turn, kept_++, cluster, undo.take()});
        else
            undos_.clear();
    }
    void keep(long cluster, long order, long block, block_traffic& traffic)
    {
        traffic.compact();
        const std::lock_guard lock(mutex_);
        for (traffic_span& span : traffic.spans) {
            span.block = static_cast<std::uint32_t>(block);
            span.cluster = static_cast<std::uint32_t>(cluster);
            span.order = static_cast<std::uint32_t>(order);
            spans_.push_back(span);
        }
    }

    void look_for_conflicts()
    {
        const traffic_conflict c = find_conflict(spans_);
        if (!c.found)
            return;
        static constexpr const char* verbs[] = {"reads", "writes", "adds to"};
        const std::byte* const group = range_groups(*plan_.ranges)[c.first.group].begin;
        const std::byte* const place = group + std::max(c.first.begin, c.second.begin);
        const memory_range& range = (*plan_.ranges)[plan_.ranges->find(place, 1)];
        const long begin = place - static_cast<const std::byte*>(range.begin);
        const long end = begin + (group + std::min(c.first.end, c.second.end) - place);
        std::sort(undos_.begin(), undos_.end(), [](const cluster_undo& a, const cluster_undo& b) {
            return a.turn != b.turn ? a.turn < b.turn : a.kept < b.kept;
        });
        // The later one first, since memory goes back in time.
        const bool turned = runs_before(c.first.cluster, c.second.cluster);
        failure of_later = find_access(turned ? c.second : c.first, place);
        failure of_earlier = find_access(turned ? c.first : c.second, place);
        const failure first = turned ? of_earlier : of_later;
        failure_ = turned ? of_later : of_earlier;
        failure_.misuse.what = std::string("the block ") + verbs[static_cast<int>(c.second.kind)] + " bytes " +
                               std::to_string(begin) + " to " + std::to_string(end - 1) + " of " + range.name +
                               ", which " + first.who.substr(first.who.find("block (")) + " " +
                               verbs[static_cast<int>(c.first.kind)] + " too" +
                               (first.line.empty() ? "" : " at " + first.line);
        failure_.misuse.remedy =
            c.first.kind == traffic_kind::atomic && c.second.kind == traffic_kind::atomic
                ? "atomic operations of two widths are not atomic to each other: give all on the bytes one width"
                : std::string(
                      "blocks of one launch run in any order: give each its own output, or use atomic_add; or ") +
                      clash_words::order_of_blocks;
    }

    bool runs_before(long cluster, long other) const
    {
        const auto find = [this](long number) {
            return std::find_if(undos_.begin(), undos_.end(),
                                [number](const cluster_undo& u) { return u.cluster == number; });
        };
        return find(cluster) <= find(other);
    }

    /// Finds the block's lane with that access to the byte, by running the block once more on the memory that it found.
    failure find_access(const traffic_span& span, const std::byte* at)
    {
        for (bool before = true; before && !undos_.empty(); undos_.pop_back()) {
            undos_.back().undo.restore();
            before = undos_.back().cluster != span.cluster;
        }
        std::unique_ptr<engine> again = engine_pool::instance().take(stack_bytes_);
        again->begin_launch(plan_);
        failure found;
        {
            const interruptible guard(again->interrupted(), plan_.patience);
            again->look_out_for({at, span.kind});
            found = run_again(*again, span.cluster);
            again->undo().restore();
        }
        engine_pool::instance().give_back(std::move(again));
        const std::string block = block_of(plan_.kernel_name, plan_.chip->name, place_of(span.block));
        if (found.who.compare(0, block.size(), block) != 0) // it went another way this time
            found = {true, block, "", "", {}};
        found.happened = true;
        return found;
    }

    /// Runs the cluster as before, with the same line after it.
    failure run_again(engine& again, long cluster)
    {
        for (long place = 0; place < plan_.resident; ++place)
            if (cluster_line line(plan_, clusters_, place); line.holds(cluster)) {
                line.start_again(cluster);
                return again.run_cluster(cluster, cluster, &line);
            }
        return again.run_cluster(cluster, cluster, nullptr);
    }

    extent3 place_of(long block) const
    {
        const extent3& grid = plan_.grid;
        return {static_cast<int>(block % grid.x), static_cast<int>(block / grid.x % grid.y),
                static_cast<int>(block / grid.x / grid.y)};
    }

    void describe(launch_result& result) const
    {
        result.status = status(status_code::device_error, "emulator: ")
                        << failure_.who.c_str() << ": " << failure_.misuse.what.c_str();
        result.report = "tegula emulator: " + failure_.misuse.what + "\n  who:    " + failure_.who + "\n";
        if (!failure_.line.empty())
            result.report += "  line:   " + failure_.line + "\n";
        if (!failure_.where.empty())
            result.report += "  where:  " + failure_.where + "\n";
        result.report += "  remedy: " + failure_.misuse.remedy + "\n";
    }

    const launch_plan& plan_;
    const long clusters_;
    const std::size_t stack_bytes_;
    std::atomic<long> next_{0};
    std::atomic<bool> endless_{false};
    long failed_cluster_;
    std::atomic<long> ended_{0};
    std::mutex mutex_;
    std::condition_variable turn_;
    long first_running_ = 0;        // all turns before it have ended; a turn is a cluster's or a line's
    std::vector<long> ended_early_; // later turns that have ended: a heap, the least first
    failure failure_;
    counters totals_{};
    std::vector<traffic_span> spans_;
    published_order published_;
    std::vector<cluster_additions> additions_;
    std::vector<cluster_undo> undos_;
    std::size_t undo_bytes_ = 0;
    long kept_ = 0;
};

inline status check_cluster(const run_config& c)
{
    const auto wrong = [](const char* text) { return status(status_code::invalid_argument, text); };
    const long blocks = static_cast<long>(c.cluster.x) * c.cluster.y * c.cluster.z;
    if (blocks == 1)
        return {};
    if (!c.chip->runs_clusters())
        return wrong("emulator: a cluster of ") << blocks << " blocks; " << c.chip->name << " has no clusters";
    if (c.cluster.x < 1 || c.cluster.y < 1 || c.cluster.z < 1 || blocks > 16)
        return wrong("emulator: a cluster of ")
               << c.cluster.x << " x " << c.cluster.y << " x " << c.cluster.z << " blocks; it must have 1 to 16";
    if (c.grid.x % c.cluster.x != 0 || c.grid.y % c.cluster.y != 0 || c.grid.z % c.cluster.z != 0)
        return wrong("emulator: a grid of ")
               << c.grid.x << " x " << c.grid.y << " x " << c.grid.z << " blocks is not a whole number of clusters of "
               << c.cluster.x << " x " << c.cluster.y << " x " << c.cluster.z;
    const long waves = blocks * ((c.block_threads + c.chip->wave_size - 1) / c.chip->wave_size);
    if (waves > 96)
        return wrong("emulator: a cluster of ")
               << waves << " waves; the emulator runs 96 together, use smaller clusters";
    return {};
}

inline status check_config(const run_config& c)
{
    const auto wrong = [](const char* text) { return status(status_code::invalid_argument, text); };
    if (inside_kernel())
        return wrong("emulator: a kernel launches a kernel");
    if (c.chip == nullptr)
        return wrong("emulator: run_config has no chip");
    if (c.block_threads < 1 || c.block_threads > c.chip->max_threads)
        return wrong("emulator: a block of ")
               << c.block_threads << " threads; " << c.chip->name << " takes 1 to " << c.chip->max_threads;
    if (c.shared_bytes < 0 || c.shared_bytes > c.chip->shared_bytes)
        return wrong("emulator: ") << c.shared_bytes << " bytes of shared memory a block; " << c.chip->name << " has "
                                   << c.chip->shared_bytes;
    if (c.grid.x < 0 || c.grid.y < 0 || c.grid.z < 0)
        return wrong("emulator: a grid of ") << c.grid.x << " x " << c.grid.y << " x " << c.grid.z << " blocks";
    if (c.resident < 0)
        return wrong("emulator: ") << c.resident << " resident clusters; give 1 or more, or 0 for all";
    if (c.resident > 0 && !c.chip->has_launch_control)
        return wrong("emulator: ") << c.resident << " resident clusters; " << c.chip->name
                                   << " has no launch control, give 0";
    if (c.overlaps_previous && !c.chip->has_clusters)
        return wrong("emulator: a launch that overlaps the one before; ")
               << c.chip->name << " has no programmatic dependent launch";
    if (c.cooperative) {
        const long waves = static_cast<long>(c.grid.x) * c.grid.y * c.grid.z *
                           ((c.block_threads + c.chip->wave_size - 1) / c.chip->wave_size);
        if (waves > 96)
            return wrong("emulator: a cooperative launch of ")
                   << waves << " waves; the emulator runs 96 together, launch fewer blocks";
        if (c.cluster != extent3{} || c.resident > 0)
            return wrong("emulator: a cooperative launch of clusters, or of resident ones; launch single blocks");
    }
    return check_cluster(c);
}

TEGULA_EMULATOR_INLINE launch_result run(const run_config& config, void (*kernel)(const void*), const void* object)
{
    launch_result result;
    result.status = check_config(config);
    if (!result.status.ok())
        return result;
    const bool together = config.cooperative && config.grid.x * config.grid.y * config.grid.z != 0;
    const launch_plan plan = {config.chip,
                              config.kernel_name,
                              config.grid,
                              config.block_threads,
                              config.shared_bytes,
                              config.checks,
                              &config.memory,
                              config.overlaps_previous ? &config.previous : nullptr,
                              kernel,
                              object,
                              together ? config.grid : config.cluster,
                              config.order,
                              config.resident,
                              together,
                              config.patience,
                              config.progress};
    const long clusters = static_cast<long>(config.grid.x) * config.grid.y * config.grid.z / plan.cluster_blocks();
    const std::size_t default_stack = (TEGULA_ADDRESS_SANITIZER ? 1024U : 256U) * 1024;
    const std::size_t stack = config.stack_bytes > 0 ? static_cast<std::size_t>(config.stack_bytes) : default_stack;
    const long wanted =
        config.cpu_threads > 0 ? config.cpu_threads : static_cast<long>(std::thread::hardware_concurrency());
    launch_run launch(plan, clusters, stack);
    std::vector<std::thread> helpers;
    for (long i = 1; i < std::min(wanted, clusters); ++i)
        helpers.emplace_back([&] { launch.work(); });
    launch.work();
    for (std::thread& helper : helpers)
        helper.join();
    return launch.finish();
}

} // namespace tegula::emulator::detail
