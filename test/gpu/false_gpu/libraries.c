/* A library of kernels and cublasLt (with -DHIP hipBLASLt) that have no GPU, for bench_test.py: their products are computed
 * at once on the host, in float whatever the type is called, and take the time that a file keeps. Each launch is a line of
 * another file. FALSE_WRONG names a tile whose product has one wrong element. */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void took(const char* kernel, double microseconds)
{
    static double* seconds = NULL;
    if (seconds == NULL)
        seconds = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, open(getenv("FALSE_CLOCK"), O_RDWR), 0);
    *seconds += microseconds * 1e-6;
    FILE* launches = fopen(getenv("FALSE_LAUNCHES"), "a");
    fprintf(launches, "%s\n", kernel);
    fclose(launches);
}

#ifdef TEGULA

struct matrix
{
    float* data;
    int64_t row_stride, column_stride;
};
struct product
{
    int64_t m, n, k;
    struct matrix a, b, c;
    int32_t shares, unused;
    void* workspace;
    int64_t bytes;
};
struct prepared
{
    const char* name;
    struct product product;
};

static const char* const names[] = {"sm_90a bf16 t64x64 kk",          "sm_90a bf16 t64x64 TN",
                                    "sm_90a bf16 ws128x128 TN",       "sm_90a bf16 ws128x128 split-K TN",
                                    "sm_90a bf16 t64x64 stream-K TN", "sm_90a bf16 ws128x128 stream-K TN",
                                    "sm_90a bf16 t64x64 NN",          "sm_90a bf16 ws128x128 NT",
                                    "sm_90a f8e4m3 ws128x128_2x1 TN"};
static const char* message = "";

static const char* find(const char* name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(names[i], name) == 0)
            return names[i];
    message = "there is no such kernel";
    return NULL;
}

const char* tegula_message(void) { return message; }
const char* tegula_operations(void)
{
    return "attention/specialized/bf16/128/causal\nattention_backward/fused/bf16/128/causal\nsoftmax/bf16\n";
}
long tegula_workspace(const char* name, const long* sizes) { return (void)name, (void)sizes, 0; }

const char* tegula_kernels(void)
{
    static char all[1024];
    all[0] = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        strcat(strcat(all, names[i]), "\n");
    return all;
}

/* Kernels by tensor copies have their product in a member of that name. */
const char* tegula_describe(const char* name)
{
    static char text[4096];
    if (find(name) == NULL)
        return NULL;
    const int by_copies = strstr(name, " ws") != NULL;
    const char* const product = by_copies ? "product." : "";
    char* end = text + sprintf(text, "{\"bytes\": %zu, \"members\": [", sizeof(struct product));
    const char* const sizes[] = {"m", "n", "k"};
    for (int i = 0; i < 3; ++i)
        end += sprintf(end, "{\"name\": \"%s%s\", \"type\": \"int64\", \"at\": %d, \"default\": 0}, ", product,
                       sizes[i], 8 * i);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const char* const parts[] = {"data", "row_stride", "column_stride"};
            end += sprintf(end, "{\"name\": \"%s%c.%s\", \"type\": \"%s\", \"at\": %d, \"default\": 0}, ", product,
                           'a' + i, parts[j], j == 0 ? "pointer" : "int64", 24 + 24 * i + 8 * j);
        }
    const char* const shares = by_copies ? "plan.splits" : strstr(name, "stream-K") != NULL ? "workers" : "splits";
    if (by_copies || strstr(name, "-K") != NULL)
        end += sprintf(end, "{\"name\": \"%s\", \"type\": \"int32\", \"at\": 96, \"default\": 1}, ", shares);
    if (strstr(name, "-K") != NULL)
        end += sprintf(end, "{\"name\": \"workspace.data\", \"type\": \"pointer\", \"at\": 104, \"default\": 0}, "
                            "{\"name\": \"workspace.bytes\", \"type\": \"int64\", \"at\": 112, \"default\": 0}, ");
    strcpy(end - 2, "]}");
    return text;
}

int tegula_prepare_kernel(const char* name, const void* arguments, size_t bytes, void** handle)
{
    struct prepared* p = malloc(sizeof *p);
    p->name = find(name);
    if (p->name == NULL || bytes != sizeof p->product)
        return 1;
    memcpy(&p->product, arguments, bytes);
    if (strstr(name, "-K") != NULL && (p->product.workspace == NULL || p->product.bytes < 1 << 20))
        return message = "the workspace is missing", 1;
    if (p->product.shares > 1 && strstr(name, "-K") == NULL)
        return message = "this kernel does not split k", 1;
    *handle = p;
    return 0;
}

int tegula_start(void* handle, void* stream)
{
    const struct prepared* p = handle;
    const struct product* g = &p->product;
    (void)stream;
    for (int64_t i = 0; i < g->m; ++i)
        for (int64_t j = 0; j < g->n; ++j) {
            float sum = 0;
            for (int64_t l = 0; l < g->k; ++l)
                sum += g->a.data[i * g->a.row_stride + l * g->a.column_stride] *
                       g->b.data[l * g->b.row_stride + j * g->b.column_stride];
            g->c.data[i * g->c.row_stride + j * g->c.column_stride] = sum;
        }
    const char* const wrong = getenv("FALSE_WRONG");
    if (wrong != NULL && strstr(p->name, wrong) != NULL)
        g->c.data[0] += 0.3f;
    const double share = g->shares == 4 ? 0.5 : g->shares > 1 ? 1.5 : 1;
    took("void gpu_kernel<tile>", share * (strstr(p->name, " ws") != NULL ? 4 : 8));
    return 0;
}

int tegula_prepare(const char* name, const long* sizes, void* const* pointers, void** handle)
{
    (void)name, (void)sizes, (void)pointers, (void)handle;
    return message = "no operation runs here", 1;
}

void tegula_release(void* handle) { free(handle); }

#else

#ifdef HIP
#define FUNCTION(name) hipblasLt##name
enum { plain = 111, transposed = 112, first = 0, second = 1, fast = -1, compute = 2, algorithm_words = 3 };
#else
#define FUNCTION(name) cublasLt##name
enum { plain = 0, transposed = 1, first = 3, second = 4, fast = 25, compute = 68, algorithm_words = 8 };
size_t cublasLtGetVersion(void) { return 130000; }
#endif

enum { invalid = 7, unsupported = 15 };

struct description
{
    int operations[2], fast;
};
struct layout
{
    int type;
    uint64_t rows, columns;
    int64_t leading;
};
struct result
{
    uint64_t algorithm[algorithm_words];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

#ifdef HIP
int hipblasLtGetVersion(void* handle, int* version) { return *version = 100000, handle == NULL; }
#endif
int FUNCTION(Create)(void** handle) { return *handle = malloc(1), 0; }

int FUNCTION(MatmulDescCreate)(struct description** made, int compute_type, int scale_type)
{
    *made = calloc(1, sizeof **made);
    return compute_type == compute && scale_type == 0 ? 0 : invalid;
}

int FUNCTION(MatmulDescSetAttribute)(struct description* of, int attribute, const void* value, size_t bytes)
{
    if (attribute == fast && bytes == 1)
        of->fast = *(const int8_t*)value;
    else if ((attribute == first || attribute == second) && bytes == 4)
        of->operations[attribute - first] = *(const int32_t*)value;
    else
        return invalid;
    return 0;
}

int FUNCTION(MatrixLayoutCreate)(struct layout** made, int type, uint64_t rows, uint64_t columns, int64_t leading)
{
    *made = malloc(sizeof **made);
    **made = (struct layout){type, rows, columns, leading};
    return 0;
}

int FUNCTION(MatmulPreferenceCreate)(uint64_t** made) { return *made = calloc(1, 8), 0; }

int FUNCTION(MatmulPreferenceSetAttribute)(uint64_t* of, int attribute, const uint64_t* value, size_t bytes)
{
    *of = *value;
    return attribute == 1 && bytes == 8 ? 0 : invalid;
}

static int suits(const struct description* p, const struct layout* x, const struct layout* y, const struct layout* d)
{
    const int tx = p->operations[0] == transposed, ty = p->operations[1] == transposed;
    const int known = (tx || p->operations[0] == plain) && (ty || p->operations[1] == plain);
    const int fp8 = x->type == 28 || x->type == 1000;
    if (fp8 && (!tx || ty || d->type != 14 || (fast > 0 && !p->fast)))
        return 0;
    return known && x->type == y->type && (fp8 || d->type == x->type) && (tx ? x->columns : x->rows) == d->rows &&
           (ty ? y->rows : y->columns) == d->columns && (tx ? x->rows : x->columns) == (ty ? y->columns : y->rows);
}

/* 4 algorithms, the second of which does not run here. */
int FUNCTION(MatmulAlgoGetHeuristic)(void* handle, struct description* p, struct layout* x, struct layout* y,
                                     struct layout* c, struct layout* d, uint64_t* preference, int requested,
                                     struct result* results, int* returned)
{
    if (handle == NULL || requested != 12 || *preference != 32 << 20 || c != d || !suits(p, x, y, d))
        return unsupported;
    for (int i = 0; i < 4; ++i)
        results[i] = (struct result){.algorithm = {(uint64_t)i + 1}, .workspace = 1, .state = i == 1 ? unsupported : 0};
    *returned = 4;
    return 0;
}

int FUNCTION(Matmul)(void* handle, struct description* p, const float* alpha, const float* x, struct layout* lx,
                     const float* y, struct layout* ly, const float* beta, const float* c, struct layout* lc, float* d,
                     struct layout* ld, const uint64_t* algorithm, void* workspace, size_t bytes, void* stream)
{
    (void)stream;
    if (handle == NULL || *alpha != 1 || *beta != 0 || c != d || lc != ld || workspace == NULL || bytes != 32 << 20 ||
        !suits(p, lx, ly, ld))
        return invalid;
    const int tx = p->operations[0] == transposed, ty = p->operations[1] == transposed;
    const uint64_t k = tx ? lx->rows : lx->columns;
    for (uint64_t i = 0; i < ld->rows; ++i)
        for (uint64_t j = 0; j < ld->columns; ++j) {
            float sum = 0;
            for (uint64_t l = 0; l < k; ++l)
                sum += (tx ? x[l + i * (uint64_t)lx->leading] : x[i + l * (uint64_t)lx->leading]) *
                       (ty ? y[j + l * (uint64_t)ly->leading] : y[l + j * (uint64_t)ly->leading]);
            d[i + j * (uint64_t)ld->leading] = sum;
        }
    took("vendor_kernel", *algorithm == 3 ? 3 : 6);
    return 0;
}

#endif
