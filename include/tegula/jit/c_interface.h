#ifndef TEGULA_JIT_C_INTERFACE_H
#define TEGULA_JIT_C_INTERFACE_H

/* Kernels compiled on demand, for C and languages that call C: the library tegula_jit. docs/jit.md is the guide; the
 * fields of a request are those of tegula/jit/compile.hpp. All functions may be called by several threads at once. */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tegula_jit_kernel tegula_jit_kernel;

typedef struct
{
    const char* source;
    const char* kernel;
    const char* target;
    const char* device; /* "emulator", "gpu" or "cpu" */
} tegula_jit_request;

/* Memory that an emulated kernel may touch. */
typedef struct
{
    void* begin;
    size_t bytes;
    const char* name;
    int access; /* 0: read, 1: read and written, 2: a workspace, undefined at first */
} tegula_jit_memory;

typedef struct
{
    long long grid[3]; /* not read for a kernel of the library, which chooses its own */
    long shared_bytes; /* 0: the kernel's own */
    const char* name;  /* name in messages */
    const char* types; /* types of the arguments, as tegula_jit_parameters gives them */
    const void* const* arguments;
    void* stream; /* a GPU's; null: the default stream */
    const tegula_jit_memory* memory;
    int memory_entries;
    int unchecked; /* not 0: the emulator looks for no misuse */
} tegula_jit_launch;

/* Compiles a kernel or finds it in the cache. Returns 0 and the kernel, or not 0 and the reason cut to `size` bytes. */
int tegula_jit_get_kernel(const tegula_jit_request* request, tegula_jit_kernel** kernel, char* message, size_t size);

/* The types of the kernel's parameters, for example "pointer, pointer, float32, int32". Lives as long as the kernel. */
const char* tegula_jit_parameters(const tegula_jit_kernel* kernel);

/* Checks the arguments: returns 0, or not 0 and the reason why the kernel refuses them. Nothing runs. */
int tegula_jit_check(const tegula_jit_kernel* kernel, const tegula_jit_launch* launch, char* message, size_t size);

/* Blocks that a launch with the arguments starts. -1 for a kernel that starts several kernels or asks the device, 0 for
 * arguments that tegula_jit_check refuses. */
long long tegula_jit_blocks(const tegula_jit_kernel* kernel, const tegula_jit_launch* launch);

/* Runs the kernel, on a GPU without waiting for it. Returns 0, or not 0 and the reason, then the emulator's report. */
int tegula_jit_run(const tegula_jit_kernel* kernel, const tegula_jit_launch* launch, char* message, size_t size);

/* Frees the handle; the module stays loaded. */
void tegula_jit_release(tegula_jit_kernel* kernel);

#ifdef __cplusplus
}
#endif

#endif
