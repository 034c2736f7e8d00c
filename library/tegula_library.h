#ifndef TEGULA_LIBRARY_H
#define TEGULA_LIBRARY_H

/* The library of kernels for GPUs, built beforehand: CMake's target tegula_gpu, and libtegula_ARCH.so of `./dev gpu pack`.
 * It needs a GPU's driver and libc alone, on AMD libamdhip64, too. Addresses are the GPU's. All functions may be called by several threads at once.
 *
 * A kernel takes the arguments of its C++ type as bytes; tegula_describe() says where each member is. An operation takes
 * sizes and addresses of dense tensors; the headers beside this one say which. */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One sentence about this thread's last call that failed. Valid until the next one fails. */
const char* tegula_message(void);

/* Names of all kernels, a line each: "sm_90a bf16 ws128x256 kk". */
const char* tegula_kernels(void);

/* A kernel as JSON:
 *
 *   arguments  the C++ type of its arguments
 *   bytes      their size
 *   members    of each that may be set: name, type (pointer, int32, int64, float32 ...), at (its first byte) and default.
 *              A map is a tensor map, which tegula_prepare_kernel() makes: leave its 128 bytes 0.
 *
 * Valid while the library is loaded. Null for a name that the library lacks. */
const char* tegula_describe(const char* kernel);

/* Checks arguments, copies them and makes tensor maps of them. Index arrays on the GPU must be complete: they are copied
 * and checked. Returns 0 and a handle; else the number of a tegula::status_code. */
int tegula_prepare_kernel(const char* kernel, const void* arguments, size_t bytes, void** handle);

/* Names of all operations, a line each: "attention/specialized/bf16/128/causal". */
const char* tegula_operations(void);

/* Bytes of an operation's workspace for these sizes; below 0: tegula_message() says why. */
long tegula_workspace(const char* operation, const long* sizes);

/* As tegula_prepare_kernel, with the sizes and addresses of an operation. */
int tegula_prepare(const char* operation, const long* sizes, void* const* pointers, void** handle);

/* Starts what was prepared in a stream (cudaStream_t or hipStream_t; null: the default stream), and does not wait. May be
 * captured in a graph. Returns 0 or the number of a tegula::status_code. */
int tegula_start(void* handle, void* stream);

/* Frees a handle; what was started goes on. */
void tegula_release(void* handle);

#ifdef __cplusplus
}
#endif

#endif
