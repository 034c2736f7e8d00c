#!/bin/sh
# sh first_day.sh ARCHITECTURE...   (sm_80, sm_89, sm_90a, sm_100a, sm_103a, sm_120a, gfx90a, gfx942, gfx950, gfx1100, gfx1201, gfx1250)
#
# All that a machine with a GPU is asked, in one run: every shipped kernel of its architecture in every form is launched,
# its whole result compared with a formula that the GPU evaluates in double, three times and then a hundred times with other
# data; graphs are captured and replayed; the programs verify their own kernels. Everything goes on after a failure; the
# last line counts them, and is the exit status. It compiles for an hour or more a vendor, into build-gpu.
if [ $# = 0 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
cd "$(dirname "$0")/../.." || exit 2
build=build-gpu
failed=0
vendor=nvidia
case $1 in gfx*) vendor=amd ;; esac

step()
{
    echo "== $*"
    "$@" || failed=$((failed + 1))
}

kernels=$(echo "$*" | tr ' ' ';')
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTEGULA_GPU_TEST_ALL_KERNELS="$kernels" || exit 2
step cmake --build $build -- -k 0 test_gpu gemm attention ops
step $build/bin/test_gpu "[$vendor]~[.full]"
step $build/bin/test_gpu "[$vendor][.full]"
step ctest --test-dir $build -R '^programs\.(gemm|attention)_gpu$' --output-on-failure
echo "$failed steps failed"
[ $failed = 0 ]
