#pragma once

#include "support.hpp"

#include <tegula/core/array.hpp>

#include <functional>

/// Bugs planted one by one, each beside the same kernel without it: in every order of lanes and waves the one is
/// reported and the other is not.

namespace planted {

/// Memory that every run finds as it was.
struct ground
{
    std::vector<float> in, out, work;
    float total = 0;
    float4 spare[256]; ///< of the program, not of the GPU: a place a thread
    std::function<void(ground&)> refills = [](ground&) {};
    emu::run_config config = two_waves();

    ground() { refill(); }
    void refill()
    {
        in.assign(1024, 1.f);
        out.assign(1024, 2.f);
        work.assign(1024, 3.f);
        total = 0;
        for (int i = 0; i < 1024; ++i)
            in[static_cast<std::size_t>(i)] = static_cast<float>(i);
        config.memory = {};
        config.memory.read(in.data(), 4096, "in")
            .write(out.data(), 4096, "out")
            .workspace(work.data(), 4096, "work")
            .write(&total, 4, "total");
        refills(*this);
    }
    float* to(int i) { return out.data() + i; }
};

inline float load(const float* from)
{
    float value = 0;
    emu::load_global<4>(&value, from);
    return value;
}
inline void store(float* to, float value) { emu::store_global<4>(to, &value); }

/// By rising and by falling number, and some random ones.
inline constexpr int orders[] = {0, -1, 1, 2, 3};

/// The report of the kernel with the bug holds one of `texts`.
inline void expect(const char* name, ground& g, const std::vector<std::string>& texts,
                   const std::function<void(ground&, bool right)>& kernel)
{
    for (const int order : orders) {
        INFO(name << ", order " << order);
        g.config.order = order;
        g.refill();
        const emu::launch_result wrong = run(g.config, [&] { kernel(g, false); });
        CHECK(wrong.status.code() == tegula::status_code::device_error);
        bool found = false;
        for (const std::string& text : texts)
            found = found || contains(wrong.report, text);
        INFO(wrong.report << "expected: " << texts.front());
        CHECK(found);
        CHECK(contains(wrong.report, "  line:   "));
        g.refill();
        expect_fine(run(g.config, [&] { kernel(g, true); }));
    }
}

/// A row of a table of them.
struct pair
{
    const char* name;
    std::vector<std::string> texts;
    void (*kernel)(ground&, bool right);
};
inline void expect_pairs(ground& g, const std::vector<pair>& pairs)
{
    for (const pair& p : pairs)
        expect(p.name, g, p.texts, p.kernel);
}

inline const std::vector<std::string> never = {"of a register that was never written"};

/// A register of T that the right kernel writes.
template <class T>
T maybe(bool right, T value = T(1))
{
    auto x = emu::unset_registers<tegula::array<T, 1>>();
    if (right)
        x[0] = value;
    return x[0];
}
template <class T>
void store_as(ground& m, T value)
{
    emu::store_global<sizeof(T)>(reinterpret_cast<T*>(m.out.data()) + emu::thread_id(), &value);
}

} // namespace planted
