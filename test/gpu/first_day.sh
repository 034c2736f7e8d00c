#!/bin/sh
# sh first_day.sh ARCHITECTURE...   (sm_80, sm_89, sm_90a, sm_100a, sm_103a, sm_120a, gfx90a, gfx942, gfx950, gfx1100, gfx1201, gfx1250)
#
# All that a machine with a GPU is asked: every shipped kernel of its architecture in every form is launched, its whole
# result compared with a formula that the GPU evaluates in double: small problems, large ones, and new data. It needs the
# vendor's compiler, CMake, ninja and Python 3. Checks run in processes beside each other (run_checks.py): what hangs or
# faults costs itself alone. Where the programs' libraries are installed, they verify their kernels too. The last line
# counts the steps that failed, and is the exit status. sm_90a compiles within an hour on two cores, into build-gpu.
if [ $# = 0 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
cd "$(dirname "$0")/../.." || exit 2
build=build-gpu
failed=0

step()
{
    echo "== $*"
    "$@" || failed=$((failed + 1))
}
checks()
{
    name=$1
    shift
    step python3 test/gpu/run_checks.py $build/bin/gpu_checks --out $build/checks/$name --shards 8 -- "$@"
}

kernels=$(echo "$*" | tr ' ' ';')
wanted=$(echo "$*" | tr ' ' ',')
rm -rf $build/checks
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTEGULA_GPU_KERNELS="$wanted" \
    -DTEGULA_GPU_TEST_ALL_KERNELS="$kernels" || exit 2
step cmake --build $build --target gpu_checks -- -k 0
checks small --small
checks large
checks more --seeds 1:20
if cmake --build $build --target help | grep -q '^attention:'; then
    step cmake --build $build --target gemm attention ops -- -k 0
    step ctest --test-dir $build -R '^programs\.(gemm|attention)_gpu$' --output-on-failure
fi
echo "$failed steps failed"
[ $failed = 0 ]
