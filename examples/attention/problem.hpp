#pragma once

// One attention as the program hands it to a back end.

#include <tegula/core/bfloat16.hpp>
#include <tegula/core/float8.hpp>
#include <tegula/core/half.hpp>
#include <tegula/kernel/attention/arguments.hpp>
#include <tegula/kernel/attention/soft_cap.hpp>
#include <tegula/reference/with_type.hpp>

namespace attention_example {

using tegula::index_t;
using tegula::long_index_t;

using element = tegula::element_kind;

/// f(tegula::type_tag<T>{}) with the number type of `e`, one of those that inputs may be rounded to.
template <class F>
auto with_type(element e, F&& f)
{
    using namespace tegula;
    return tegula::with_type<half, bfloat16, float8_e4m3, float8_e5m2, float8_e4m3_fnuz, float8_e5m2_fnuz, float>(e, f);
}

/// Features that have kernels of their own. These change scores, too.
enum class feature { none, dropout, pages };

/// Q, K and V hold elements of one type, everything else float; memory is the host's.
struct problem
{
    tegula::attention_arguments<void, float> plain = {};
    float cap = 0; ///< of soft_cap; 0: none
    /// plain.bias is a single 0, for kernels that add one in any case.
    bool bias_is_zero = false;
    index_t splits = 0; ///< shares of the keys; 0: as many as help, until a kernel is chosen

    // Tensors of the backward pass. It reads O in the inputs' type.
    tegula::attention_tensor<void> o = {};
    tegula::attention_tensor<const void> d_o = {};
    tegula::attention_tensor<float> dq = {}, dk = {}, dv = {};

    /// Whether scores are more than scaled products: kernels that can change them take longer.
    bool changes_scores() const { return cap != 0 || (plain.bias.data != nullptr && !bias_is_zero); }
    feature needed() const
    {
        return plain.dropout.threshold != 0   ? feature::dropout
               : plain.pages.page_length != 0 ? feature::pages
                                              : feature::none;
    }
};

/// A kernel that changes scores, and one that does not. All have a band: without a mask it shows every key.
using changing_variant = tegula::attention_variant<tegula::attention_mask::band, tegula::attention_bias::tensor>;
using plain_variant = tegula::attention_variant<tegula::attention_mask::band>;

/// Kernels of features. Pages are of any number of keys.
using dropping_variant = tegula::attention_variant<tegula::attention_mask::band, tegula::attention_bias::tensor,
                                                   tegula::attention_weights::dropped>;
using paged_variant = tegula::attention_variant<tegula::attention_mask::band, tegula::attention_bias::tensor,
                                                tegula::attention_weights::all, tegula::attention_cache::paged_by_key>;
/// Pages for kernels by tensor copies, which change no scores.
using copied_pages_variant = tegula::attention_variant<tegula::attention_mask::band, tegula::attention_bias::none,
                                                       tegula::attention_weights::all, tegula::attention_cache::paged>;

/// The feature that a variant is for.
template <class Variant>
constexpr feature feature_of()
{
    return Variant::dropout ? feature::dropout : Variant::in_pages ? feature::pages : feature::none;
}

/// The variant of the kernels for few queries.
using decoding_variant = tegula::attention_variant<tegula::attention_mask::band, tegula::attention_bias::none,
                                                   tegula::attention_weights::all, tegula::attention_cache::contiguous,
                                                   tegula::attention_heads::packed>;

/// The tensor with elements of type T.
template <class T, class Void>
tegula::attention_tensor<T> typed(const tegula::attention_tensor<Void>& x)
{
    return {static_cast<T*>(x.data), x.batch_stride, x.head_stride, x.row_stride};
}

/// The library's arguments for inputs of type T and an output of type O.
template <class T, class O, class Score>
tegula::attention_arguments<T, O, Score> make_arguments(const problem& p)
{
    tegula::attention_arguments<T, O, Score> a;
    a.batch = p.plain.batch;
    a.heads = p.plain.heads;
    a.kv_heads = p.plain.kv_heads;
    a.seq_q = p.plain.seq_q;
    a.seq_k = p.plain.seq_k;
    a.head_dim = p.plain.head_dim;
    a.value_dim = p.plain.value_dim;
    a.q = typed<const T>(p.plain.q);
    a.k = typed<const T>(p.plain.k);
    a.v = typed<const T>(p.plain.v);
    if constexpr (std::is_same_v<O, float>)
        a.o = p.plain.o;
    else
        a.o = typed<O>(p.o);
    a.lse = p.plain.lse;
    a.scale = p.plain.scale;
    a.q_scale = p.plain.q_scale;
    a.k_scale = p.plain.k_scale;
    a.v_scale = p.plain.v_scale;
    a.band = p.plain.band;
    a.bias = p.plain.bias;
    a.dropout = p.plain.dropout;
    a.lengths = p.plain.lengths;
    a.pages = p.plain.pages;
    if constexpr (!std::is_same_v<Score, tegula::unchanged_score>)
        a.score.cap = p.cap;
    return a;
}

/// Those of the backward pass.
template <class T, class Score>
tegula::attention_backward_arguments<T, T, float, Score> make_backward_arguments(const problem& p)
{
    tegula::attention_backward_arguments<T, T, float, Score> b;
    b.forward = make_arguments<T, T, Score>(p);
    b.d_o = typed<const T>(p.d_o);
    b.dq = p.dq;
    b.dk = p.dk;
    b.dv = p.dv;
    return b;
}

} // namespace attention_example
