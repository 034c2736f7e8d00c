#include "measure.hpp"

#include <algorithm>

namespace gemm_benchmark {

namespace {

constexpr double cache_factor = 2.5; // of the cache that the sets, or a flush, are together

std::size_t size_of(double bytes) { return static_cast<std::size_t>(bytes); }

void add_note(std::string& note, const std::string& more) { note += (note.empty() ? "" : "; ") + more; }

constexpr double few_seconds = 20e-6; // below that a launch may take the host as long
constexpr std::size_t finalists = 3;  // of each side are timed again
constexpr int final_rounds = 5;

bool is_faster(const contender& x, const contender& y) { return x.estimate < y.estimate; }

} // namespace

tegula::status matrix_sets::make(gpu& g, const options& o, const product& p)
{
    const int sets = o.flush_cache ? 1
                                   : rotation_count(bytes_of(p.shape, p.type), g.facts().cache_bytes,
                                                    0.8 * g.free_bytes(), cache_factor);
    for (int i = 0; i < sets; ++i)
        if (tegula::status s = add_set(g, p, i); !s)
            return s;
    return {};
}

tegula::status matrix_sets::add_set(gpu& g, const product& p, int number)
{
    const auto [m, n, k] = p.shape;
    const auto elements = [](long_index_t rows, long_index_t columns) {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    };
    const std::size_t counts[] = {elements(m, k), elements(k, n), elements(m, n)};
    const int bytes[] = {bytes_of(p.type), bytes_of(p.type), bytes_of(output_of(p.type))};
    void* data[3] = {};
    for (int i = 0; i < 3; ++i) {
        gpu_memory memory;
        if (tegula::status s = memory.allocate(g, counts[i] * static_cast<std::size_t>(bytes[i])); !s)
            return s;
        data[i] = memory.data();
        memory_.push_back(std::move(memory));
    }
    if (tegula::status s = g.fill(data[0], p.type, counts[0], seed_of_a(number)); !s)
        return s;
    if (tegula::status s = g.fill(data[1], p.type, counts[1], seed_of_b(number)); !s)
        return s;
    problems_.push_back({p.shape, p.type, p.layout, data[0], data[1], data[2]});
    return {};
}

tegula::status product_measurement::prepare()
{
    if (tegula::status s = sets_.make(gpu_, options_, product_); !s)
        return s;
    if (!options_.flush_cache && sets_.count() * bytes_of(product_.shape, product_.type) < 2 * gpu_.facts().cache_bytes)
        add_note(note_, "the sets of matrices are not twice the cache; take --flush-cache");
    if (options_.flush_cache)
        if (tegula::status s = flushed_.allocate(gpu_, size_of(cache_factor * gpu_.facts().cache_bytes)); !s)
            return s;
    std::vector<contender> ours, vendors;
    if (tegula::status s = find_ours(ours); !s)
        return s;
    if (tegula::status s = find_vendors(vendors); !s)
        return s;
    if (ours.empty() && vendors.empty())
        return tegula::status(tegula::status_code::unsupported, note_.c_str());
    // A cold GPU would favour those that are looked at first.
    contender& warmer = ours.empty() ? vendors.front() : ours.front();
    if (tegula::status s = time(warmer, sets_.count(), warmer.estimate); !s)
        return s;
    if (tegula::status s = settle(warmer); !s)
        return s;
    // Where one is short all are recorded: the host would be part of the others' times.
    for (std::vector<contender>* list : {&ours, &vendors})
        for (contender& c : *list) {
            if (tegula::status s = time(c, sets_.count(), c.estimate); !s)
                return s;
            short_ = short_ || c.estimate < few_seconds;
        }
    if (tegula::status s = rank(ours, best_); !s)
        return s;
    for (const contender& c : ours)
        tiles_.emplace_back(c.name, teraflops(product_.shape, c.estimate));
    if (tegula::status s = rank(vendors, vendor_best_); !s)
        return s;
    keep(ours, chosen_, best_);
    keep(vendors, vendor_first_, vendor_best_);
    const std::vector<sample> samples = choose_samples(product_.shape, product_.type, product_.layout);
    for (contender& c : contenders_)
        if (tegula::status s = verify(c, samples); !s)
            return s;
    return settle(contenders_.front());
}

tegula::status product_measurement::rank(std::vector<contender>& list, std::string& fastest)
{
    for (contender& c : list)
        if (tegula::status s = look(c); !s)
            return s;
    if (list.empty())
        return {};
    // The fastest at one look was also lucky, so the first few are timed again.
    std::vector<std::size_t> order(list.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return is_faster(list[x], list[y]); });
    order.resize(std::min(order.size(), finalists));
    std::vector<std::vector<double>> times(order.size());
    for (int r = 0; r < final_rounds; ++r)
        for (std::size_t i = 0; i < order.size(); ++i) {
            const contender& c = list[order[i]];
            double seconds = 0;
            if (tegula::status s =
                    time(c, launches_of_group(c.estimate, options_.group_seconds, sets_.count()), seconds);
                !s)
                return s;
            times[i].push_back(seconds);
        }
    const contender* best = nullptr;
    for (std::size_t i = 0; i < order.size(); ++i) {
        contender& c = list[order[i]];
        c.estimate = median(times[i]);
        if (best == nullptr || is_faster(c, *best))
            best = &c;
    }
    fastest = best->name;
    return {};
}

tegula::status product_measurement::look(contender& c)
{
    const bool each = options_.flush_cache || options_.flush_instructions;
    if (short_ && !each && !c.turn)
        if (tegula::status s = gpu_.record(c.launches, c.turn); !s)
            add_note(note_, c.name + ": " + s.message());
    return time(c, launches_of_group(c.estimate, options_.group_seconds / 2, sets_.count()), c.estimate);
}

void product_measurement::keep(std::vector<contender>& from, const std::string& first, const std::string& second)
{
    for (const std::string& name : {first, second})
        for (contender& c : from)
            if (!name.empty() && c.name == name && find(name) == nullptr)
                contenders_.push_back(std::move(c));
}

contender* product_measurement::find(const std::string& name)
{
    for (contender& c : contenders_)
        if (c.name == name)
            return &c;
    return nullptr;
}

tegula::status product_measurement::find_ours(std::vector<contender>& tried)
{
    const tegula::gemm_size size = product_.shape.size();
    std::vector<candidate> candidates;
    std::vector<tegula::tile_description> tiles, split_tiles;
    std::optional<tegula::chip_info> chip; // as this GPU is
    for (const kernel_entry& e : all_kernels()) {
        if (e.arch != gpu_.facts().arch || e.type != product_.type || !e.suits(sets_.problems()[0]))
            continue;
        chip = *e.chip;
        chip->compute_units = gpu_.facts().compute_units;
        chip->memory_gigabytes = gpu_.facts().memory_gigabytes;
        // k is shared where there are few tiles and it is long; elsewhere those kernels would only take time.
        if (e.form != k_form::whole && tegula::choose_splits(size, e.tile, *chip) == 1)
            continue;
        candidates.push_back({e.tile.name, e.prepare});
        if (e.form == k_form::whole)
            tiles.push_back(e.tile);
        else if (e.form == k_form::split_k)
            split_tiles.push_back(e.tile);
    }
    if (candidates.empty()) {
        add_note(note_, "no kernel of ours for " + product_.name() + " is built for " + gpu_.facts().arch +
                            "; configure with -DTEGULA_GPU_KERNELS=" + gpu_.facts().arch);
        return {};
    }
    for (const candidate& c : candidates)
        if (tegula::status s = try_contender(c, tried); !s)
            return s;
    const tegula::tile_choice choice = tegula::choose_tile(size, *chip, tiles.data(), static_cast<int>(tiles.size()));
    if (!choice)
        add_note(note_, choice.why.message());
    if (tried.empty() || !choice)
        return {};
    const tegula::tile_description& whole = tiles[static_cast<std::size_t>(choice.index)];
    const tegula::split_choice split =
        tegula::choose_split_tile(size, *chip, split_tiles.data(), static_cast<int>(split_tiles.size()),
                                  tegula::estimate_tile(size, whole, *chip).cycles);
    chosen_ = split ? split_tiles[static_cast<std::size_t>(split.index)].name : whole.name;
    return {};
}

tegula::status product_measurement::find_vendors(std::vector<contender>& tried)
{
    if (vendor_ == nullptr)
        return {};
    std::string first;
    for (std::size_t workspace : options_.workspaces) {
        std::vector<candidate> offered;
        const tegula::status s = vendor_->algorithms(sets_.problems()[0], workspace, options_.algorithms, offered);
        const std::string label = " of " + std::to_string(workspace >> 20) + " MiB";
        if (!s)
            add_note(note_, s.message() + label);
        for (candidate& c : offered) {
            c.name += label;
            if (tegula::status t = try_contender(c, tried); !t)
                return t;
        }
        if (first.empty() && !offered.empty())
            first = offered[0].name;
    }
    vendor_algorithms_ = static_cast<int>(tried.size());
    vendor_first_ = first;
    return {};
}

tegula::status product_measurement::try_contender(const candidate& c, std::vector<contender>& list)
{
    contender x;
    x.name = c.name;
    for (const gpu_problem& p : sets_.problems()) {
        launcher launch;
        const tegula::status s = c.prepare(p, launch);
        if (!s) {
            add_note(note_, c.name + ": " + s.message());
            return {};
        }
        x.launches.push_back(std::move(launch));
    }
    if (const tegula::status s = x.launches[0](); !s) {
        add_note(note_, c.name + ": " + s.message());
        return {};
    }
    list.push_back(std::move(x));
    return {};
}

tegula::status product_measurement::verify(contender& c, const std::vector<sample>& samples)
{
    const gpu_problem& p = sets_.problems()[0];
    const auto bytes = static_cast<std::size_t>(bytes_of(output_of(p.type)));
    const auto elements = static_cast<std::size_t>(p.shape.m) * static_cast<std::size_t>(p.shape.n);
    if (tegula::status s = gpu_.overwrite(p.d, elements * bytes); !s)
        return s;
    if (tegula::status s = c.launches[0](); !s)
        return s;
    const tegula::status read = with_type(output_of(p.type), [&](auto tag) -> tegula::status {
        for (const sample& x : samples) {
            typename decltype(tag)::type value{};
            const auto offset = static_cast<std::size_t>(x.row * p.shape.n + x.column) * sizeof value;
            if (tegula::status s = gpu_.read(&value, static_cast<const char*>(p.d) + offset, sizeof value); !s)
                return s;
            c.check.add(p.type, p.shape.k, static_cast<double>(value), x.exact);
        }
        return {};
    });
    return read ? compare_all(c) : read;
}

tegula::status product_measurement::compare_all(contender& c)
{
    const auto bytes = static_cast<std::size_t>(bytes_of(output_of(product_.type)));
    for (const kernel_entry& e : all_kernels()) {
        if (e.arch != gpu_.facts().arch || e.type != product_.type)
            continue;
        for (std::size_t set = 0; set < c.launches.size(); ++set) {
            const gpu_problem& p = sets_.problems()[set];
            const long_index_t elements = p.shape.m * p.shape.n;
            tegula::product_differences found;
            if (tegula::status s = gpu_.overwrite(p.d, static_cast<std::size_t>(elements) * bytes); !s)
                return s;
            if (tegula::status s = c.launches[set](); !s)
                return s;
            if (tegula::status s = e.compare(p, allowed_sum_error(p.type, p.shape.k), found); !s)
                return s;
            c.check.add(found, elements);
        }
        return {};
    }
    return {};
}

tegula::status product_measurement::settle(const contender& c)
{
    const int launches = launches_of_group(c.estimate, options_.group_seconds, sets_.count());
    settling drift;
    for (double spent = 0; !drift.settled() && spent < options_.warm_seconds;) {
        double seconds = 0;
        if (tegula::status s = time(c, launches, seconds); !s)
            return s;
        drift.add(seconds);
        spent += std::max(seconds * launches, 1e-6);
    }
    settled_ = drift.settled();
    return {};
}

tegula::status product_measurement::time(const contender& c, int launches, double& seconds)
{
    if (options_.flush_cache || options_.flush_instructions)
        return time_each(c, launches, seconds);
    gpu_.start_timer();
    for (int i = 0; i < launches; i += c.turn ? sets_.count() : 1)
        if (tegula::status s = c.turn ? c.turn() : c.launches[static_cast<std::size_t>(i % sets_.count())](); !s)
            return s;
    const tegula::status s = gpu_.stop_timer(seconds);
    seconds /= launches;
    return s;
}

tegula::status product_measurement::time_each(const contender& c, int launches, double& seconds)
{
    double sum = 0;
    for (int i = 0; i < launches; ++i) {
        if (options_.flush_cache)
            if (tegula::status s = gpu_.overwrite(flushed_.data(), size_of(cache_factor * gpu_.facts().cache_bytes));
                !s)
                return s;
        if (options_.flush_instructions)
            if (tegula::status s = gpu_.flush_instructions(); !s)
                return s;
        gpu_.start_timer();
        if (tegula::status s = c.launches[static_cast<std::size_t>(i % sets_.count())](); !s)
            return s;
        double each = 0;
        if (tegula::status s = gpu_.stop_timer(each); !s)
            return s;
        sum += each;
    }
    seconds = sum / launches;
    return {};
}

tegula::status product_measurement::round(double& seconds)
{
    for (contender& c : contenders_) {
        double each = 0;
        const int launches = launches_of_group(c.estimate, options_.group_seconds, sets_.count());
        if (tegula::status s = time(c, launches, each); !s)
            return s;
        c.seconds.push_back(each);
    }
    seconds = contenders_.front().seconds.back();
    megahertz_.push_back(gpu_.megahertz());
    return {};
}

tegula::status product_measurement::window()
{
    if (options_.window_seconds <= 0)
        return {};
    for (const std::string& name : {chosen_, vendor_best_})
        if (contender* c = name.empty() ? nullptr : find(name)) {
            constexpr int most = 10'000'000;
            const int launches = launches_of_group(c->estimate, options_.window_seconds, sets_.count(), most);
            if (tegula::status s = time(*c, launches, c->window); !s)
                return s;
        }
    return {};
}

result product_measurement::finish() const
{
    result r;
    r.product = product_;
    r.tile = chosen_;
    r.best_tile = best_;
    r.tiles = tiles_;
    r.vendor_algorithms = vendor_algorithms_;
    r.vendor_best_name = vendor_best_;
    r.settled = settled_;
    r.sets = sets_.count();
    r.note = note_;
    r.megahertz = megahertz_.empty() ? 0 : median(megahertz_);
    const auto find = [&](const std::string& name) -> const contender* {
        for (const contender& c : contenders_)
            if (!name.empty() && c.name == name && !c.seconds.empty())
                return &c;
        return nullptr;
    };
    const auto speed = [&](const contender* c) {
        return c == nullptr ? std::optional<double>() : teraflops(product_.shape, median(c->seconds));
    };
    const contender *ours = find(chosen_), *vendor = find(vendor_best_);
    r.tflops = speed(ours);
    r.best_tflops = speed(find(best_));
    r.vendor_first = speed(find(vendor_first_));
    r.vendor_best = speed(vendor);
    const auto spread_of = [](const contender* c) {
        return c == nullptr ? std::optional<double>() : spread(c->seconds);
    };
    r.spread = spread_of(ours);
    r.vendor_spread = spread_of(vendor);
    const auto window = [&](const contender* c) {
        return c == nullptr || c->window <= 0 ? std::optional<double>() : teraflops(product_.shape, c->window);
    };
    r.window_tflops = window(ours);
    r.window_vendor_best = window(vendor);
    for (const contender& c : contenders_)
        r.graphs = r.graphs || c.turn;
    if (ours != nullptr && vendor != nullptr)
        r.ratio = median_ratio(vendor->seconds, ours->seconds);
    if (ours != nullptr)
        r.max_error = ours->check.max_error;
    if (vendor != nullptr)
        r.vendor_max_error = vendor->check.max_error;
    r.verified = ours != nullptr && ours->check.passed && find(best_)->check.passed;
    return r;
}

} // namespace gemm_benchmark
