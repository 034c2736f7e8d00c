#!/bin/sh
# on_gpu.sh nvidia|amd|rocjitsu PROGRAM ARGUMENTS...: runs the program where that vendor's GPU is, else skips with the
# reason. rocjitsu: where AMD's emulator of its instruction sets plays one, whose command the environment names:
#   TEGULA_ROCJITSU="build/rocjitsu --config configs/gfx942_cdna3_kmd.json"
# (ROCm/rocm-systems, emulation/rocjitsu; its HIP runtime must know the architecture).
# TEGULA_DEV is a folder in the place of /dev.
vendor=$1
shift
dev=${TEGULA_DEV-/dev}
case $vendor in
nvidia) file="$dev/nvidia[0-9]*" name=NVIDIA ;; # a container may have any of them
amd) file=$dev/kfd name=AMD ;;
rocjitsu)
    if [ -z "${TEGULA_ROCJITSU-}" ]; then
        echo "skipped: TEGULA_ROCJITSU names no rocjitsu (test/gpu/on_gpu.sh)"
        exit 77
    fi
    # A GPU that is not found, or without kernels for it, is an error here: somebody has asked for it.
    output=$(TEGULA_GPU_IS_EMULATED=1 $TEGULA_ROCJITSU -- "$@" 2>&1)
    status=$?
    echo "$output"
    case $output in *"skipped: no"*) exit 1 ;; esac
    exit $status
    ;;
esac
if ! ls $file > /dev/null 2>&1; then
    echo "skipped: no $name GPU ($file does not exist)"
    exit 77
fi
exec "$@"
