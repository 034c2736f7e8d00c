#!/bin/sh
# on_gpu.sh nvidia|amd PROGRAM ARGUMENTS...: runs the program where that vendor's GPU is, else skips with the reason.
vendor=$1
shift
case $vendor in
nvidia) set -- "/dev/nvidia0" "NVIDIA" "$@" ;;
amd) set -- "/dev/kfd" "AMD" "$@" ;;
esac
if [ ! -e "$1" ]; then
    echo "skipped: no $2 GPU ($1 does not exist)"
    exit 77
fi
shift 2
exec "$@"
