// The shadow of shared memory against the definition: every earlier access of every byte, looked at one by one.
#include "support.hpp"

#include <tegula/emulator/memory_shadow.hpp>

#include <random>

namespace {

using namespace tegula::emulator::detail;

constexpr int bytes = 64;
constexpr int waves = 3;
constexpr int lanes = 4;

struct event
{
    bool store;
    access_stamp stamp;
};

/// All accesses of each byte so far.
struct history
{
    std::vector<event> of[bytes];

    static bool in_order(const event& e, const access_stamp& me, const vector_clock& clock)
    {
        if (e.stamp.wave == me.wave)
            return e.stamp.lane == me.lane || e.stamp.time < me.time;
        return e.stamp.time <= clock.at(e.stamp.wave);
    }

    bool allows(bool store, long offset, int size, const access_stamp& me, const vector_clock& clock) const
    {
        for (long b = offset; b < offset + size; ++b) {
            bool written = false;
            for (const event& e : of[b]) {
                written |= e.store;
                if ((store || e.store) && !in_order(e, me, clock))
                    return false;
            }
            if (!store && !written)
                return false;
        }
        return true;
    }
};

} // namespace

TEST_CASE("the shadow agrees with the full history", "[emulator]")
{
    std::mt19937 random(7);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    int refused = 0;
    int accepted = 0;
    for (int round = 0; round < 3000; ++round) {
        access_sets sets;
        sets.clear();
        memory_shadow shadow;
        shadow.begin(bytes, sets, false, memory_shadow::state::never_written);
        history all;
        knowledge known[waves];
        vector_clock* const clocks[] = {&known[0].happened, &known[1].happened, &known[2].happened};
        const auto seen_by = [&](const access_stamp& me) { return observer{me, 0, &known[me.wave], nullptr}; };
        for (int w = 0; w < waves; ++w)
            clocks[w]->at(w) = 1;
        if (below(4) > 0) { // everything was written, and everyone knows
            for (long b = 0; b < bytes; b += 16) {
                const access_stamp writer{1, static_cast<std::uint8_t>(below(waves)),
                                          static_cast<std::uint8_t>(below(lanes))};
                shadow.write(b, 16, seen_by(writer));
            }
            for (auto& of_byte : all.of)
                of_byte.push_back({true, {0, 0, 0}});
            for (int w = 0; w < waves; ++w)
                for (int other = 0; other < waves; ++other)
                    clocks[w]->at(other) = w == other ? 2 : 1;
        }
        const int narrowest = below(5);
        for (int step = 0; step < 100; ++step) {
            const int wave = below(waves);
            const int what = below(4);
            if (what == 0) { // two waves, or all, meet
                const int other = below(waves);
                vector_clock met = *clocks[wave];
                met.join(*clocks[other]);
                for (int w : {wave, other}) {
                    clocks[w]->join(met);
                    if (w != other || wave != other)
                        ++clocks[w]->at(w);
                }
                continue;
            }
            if (what == 1) { // a wave barrier
                ++clocks[wave]->at(wave);
                continue;
            }
            const int size = 1 << (narrowest + below(5 - narrowest));
            const long offset = below(bytes / size) * static_cast<long>(size);
            const bool store = below(4) == 0;
            const access_stamp me{clocks[wave]->at(wave), static_cast<std::uint8_t>(wave),
                                  static_cast<std::uint8_t>(below(lanes))};
            const shadow_verdict verdict =
                store ? shadow.write(offset, size, seen_by(me)) : shadow.read(offset, size, seen_by(me));
            const bool fine = all.allows(store, offset, size, me, *clocks[wave]);
            REQUIRE((verdict.clash == shadow_clash::none) == fine);
            if (!fine) {
                ++refused;
                break; // a launch ends here
            }
            ++accepted;
            for (long b = offset; b < offset + size; ++b)
                all.of[b].push_back({store, me});
        }
    }
    CHECK(refused > 1000);
    CHECK(accepted > 1000);
}
