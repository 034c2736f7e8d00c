// Descriptors in which constants of one value stand behind numbers of run time: two empty members of one type behind
// data took nvcc 13's cicc out of memory, of any size. The test compiles this under a limit.
#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::TEGULA_TEST_TARGET;

template <class View>
struct two_views
{
    View a;
    int element;
    View b;
};

template <class Descriptor>
__device__ void copy_one(float* to, const float* from, const Descriptor& descriptor, int i)
{
    const auto view = make_tensor_view<target, address_space::global>(from, descriptor);
    two_views<decltype(make_tensor_view<target, address_space::global>(from, descriptor))> views{view, i, view};
    const auto* some = i == 5 ? &views : nullptr; // which keeps them in memory
    const auto at = make_coordinate(some->b.descriptor, multi_index<2>{i, i + 1});
    if (is_valid(some->a.descriptor, at))
        to[threadIdx.x] = some->b.data[at.offset() + some->element];
}

__global__ void strided(float* to, const float* from, int n, int i)
{
    constexpr constant<32> c;
    constexpr constant<1> one;
    copy_one(to, from, make_strided_descriptor(make_tuple(n, c), make_tuple(c, one)), i);
    copy_one(to, from, make_strided_descriptor(make_tuple(c, n), make_tuple(one, c)), i);
    copy_one(to, from, make_strided_descriptor(make_tuple(c, c), make_tuple(n, c)), i);
    copy_one(to, from, make_strided_descriptor(make_tuple(n, c), make_tuple(i, c)), i);
    copy_one(to, from, make_strided_descriptor(make_tuple(one, one), make_tuple(one, one)), i);
}

__global__ void transformed(float* to, const float* from, int n, int i)
{
    constexpr constant<32> c;
    constexpr constant<2> two;
    constexpr auto ids = make_tuple(sequence<0>{}, sequence<1>{});
    constexpr auto last_two = make_tuple(sequence<0>{}, sequence<1, 2>{});
    const auto rows = make_strided_descriptor(make_tuple(n, c), make_tuple(c, constant<1>{}));
    const auto matrices = make_packed_descriptor(make_tuple(n, c, c));
    const auto padded = make_pad_transform(n, two, two);
    const auto kept = make_pass_through_transform(c);
    copy_one(to, from, transform_descriptor(rows, make_tuple(padded, kept), ids, ids), i);
    copy_one(to, from, transform_descriptor(rows, make_tuple(make_pad_transform(two, n, two), padded), ids, ids), i);
    copy_one(to, from, transform_descriptor(rows, make_tuple(kept, kept), ids, ids), i);
    copy_one(to, from, transform_descriptor(rows, make_tuple(make_slice_transform(n, two, two), padded), ids, ids), i);
    copy_one(to, from,
             transform_descriptor(matrices, make_tuple(padded, make_merge_transform(make_tuple(c, c))), last_two, ids),
             i);
    copy_one(to, from,
             transform_descriptor(transform_descriptor(rows, make_tuple(kept, kept), ids, ids),
                                  make_tuple(padded, kept), ids, ids),
             i);
}
