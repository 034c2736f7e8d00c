#pragma once

// The gradients of queries, keys and values, of a bias and of sinks.

#include "scores.hpp"

inline bool gradients(tensors& x)
{
    // The forward pass with an output of the inputs' type, which the backward pass reads, and lse.
    std::vector<bfloat16> o(x.q.size()), d_o(x.q.size());
    std::vector<float> dq(x.q.size()), dk(x.k.size()), dv(x.v.size());
    fill_normal<bfloat16>(d_o, 5);
    using biased = attention_variant<band, attention_bias::tensor>;
    using kernels = attention_backward_for<target, bfloat16, 64, 64, biased, float>;
    kernels::problem problem;
    std::vector<float> bias(heads * queries * keys), d_bias(bias.size());
    fill_normal<float>(bias, 4);
    const float sinks[heads] = {1.0f, -0.5f};
    float d_sinks[heads] = {};
    const auto a = x.arguments();
    auto& forward = problem.forward;
    forward = {.batch = batch,
               .heads = heads,
               .kv_heads = heads,
               .seq_q = queries,
               .seq_k = keys,
               .head_dim = columns,
               .value_dim = columns,
               .q = a.q,
               .k = a.k,
               .v = a.v,
               .lse = a.lse,
               .scale = a.scale};
    forward.o = {o.data(), a.o.batch_stride, a.o.head_stride, a.o.row_stride};
    forward.band.right = 0;
    forward.bias = {bias.data(), 0, queries * keys, keys, 1}; // for all sequences
    forward.sinks = sinks;
    if (!emulate(attention_kernel<tile, bfloat16, biased>{}, forward).status)
        return false;

    problem.d_o = {d_o.data(), a.o.batch_stride, a.o.head_stride, a.o.row_stride};
    problem.dq = {dq.data(), a.q.batch_stride, a.q.head_stride, a.q.row_stride};
    problem.dk = {dk.data(), a.k.batch_stride, a.k.head_stride, a.k.row_stride};
    problem.dv = {dv.data(), a.v.batch_stride, a.v.head_stride, a.v.row_stride};
    problem.d_bias = {d_bias.data(), 0, queries * keys, keys, 1}; // the sequences' sum, added to what is there: zeros
    problem.d_sinks = d_sinks;                                    // so is this
    emulated_memory workspace;
    if (!workspace.allocate(static_cast<std::size_t>(kernels::workspace_floats(forward)) * sizeof(float)))
        return false;
    emulated_device device;
    const status s = launch(device, kernels{}, {problem, {static_cast<float*>(workspace.data())}});
    if (!s) {
        std::fprintf(stderr, "%s\n%s", s.message(), device.result.report.c_str());
        return false;
    }
    const attention_gradients exact = reference_attention_backward<biased>(problem);
    const auto compare = [](const char* what, const std::vector<double>& result, const std::vector<double>& e,
                            const std::vector<double>& bounds) {
        const error_report report = verify_within(result, e, bounds);
        std::printf("%-28s largest error %.2e, %4.1f %% of the bound\n", what, report.max_abs_error,
                    100 * report.worst_ratio);
        return report.passed;
    };
    const auto check = [&](const char* what, const auto& tensor, const attention_array& e) {
        return compare(what, gather_attention(tensor, e), e.values, e.bounds);
    };
    bool good = compare("gradient of a bias", {d_bias.begin(), d_bias.end()}, exact.d_bias, exact.d_bias_bounds);
    good = compare("gradient of the sinks", {d_sinks, d_sinks + heads}, exact.d_sinks, exact.d_sink_bounds) && good;
    good = check("gradient of Q", problem.dq, exact.dq) && good;
    good = check("gradient of K", problem.dk, exact.dk) && good;
    return check("gradient of V", problem.dv, exact.dv) && good;
}
