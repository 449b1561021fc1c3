// The CUDA kernels of tonmf.nmf.ops.cuda. Letters and shapes are those of tonmf.nmf.ops.
//
// Macros, set when a variant is compiled (tonmf.nmf.ops.cuda.variants):
//
//   REAL    float or double, the dtype of X, H and W
//   COLS    columns of a factor that each lane of a warp holds: n_topics <= 32 * COLS
//   LANES   lanes that together read one row of a padded factor, 16 bytes each: a power of two, at most 32
//   STRIPS  how often they do so for a row
//
// Sums are in double, as in the other backends, and every number is summed in the same order each time: nothing is added
// atomically. A warp handles one row at a time, so results do not depend on the grid either.

typedef long long int64;

#define FULL 0xffffffffu
#define WARP 32

// Rows read 16 bytes at a time.
template <typename T> struct Vector;
template <> struct Vector<float> { typedef float4 type; static const int size = 4; };
template <> struct Vector<double> { typedef double2 type; static const int size = 2; };

__device__ __forceinline__ void add(double *sum, double value, float4 row) {
    sum[0] += value * row.x; sum[1] += value * row.y; sum[2] += value * row.z; sum[3] += value * row.w;
}
__device__ __forceinline__ void add(double *sum, double value, double2 row) {
    sum[0] += value * row.x; sum[1] += value * row.y;
}

__device__ __forceinline__ int64 first_warp() { return (blockIdx.x * (int64)blockDim.x + threadIdx.x) / WARP; }
__device__ __forceinline__ int64 n_warps() { return (int64)gridDim.x * blockDim.x / WARP; }

// Return in `sum`, on the first LANES lanes, the sum over p in [start, end) of data[p] * B[indices[p]], B with `stride` columns.
// Groups of LANES lanes read a row each, so a warp has several rows in flight with every load.
__device__ __forceinline__ void weighted_rows(const int *indices, const REAL *data, const REAL *B, int stride,
                                              int64 start, int64 end, double sum[][Vector<REAL>::size]) {
    typedef Vector<REAL> V;
    const int lane = threadIdx.x % WARP, group = lane / LANES, place = lane % LANES;
    const int n_vectors = stride / V::size;
    for (int s = 0; s < STRIPS; s++)
        for (int c = 0; c < V::size; c++) sum[s][c] = 0;
    for (int64 p = start; p < end; p += WARP) {
        const bool inside = p + lane < end;
        const int index = inside ? indices[p + lane] : 0;
        const double value = inside ? (double)data[p + lane] : 0.0;
        const int n = end - p < WARP ? (int)(end - p) : WARP;
#pragma unroll 8
        for (int t = 0; t < n; t += WARP / LANES) {
            const int row = __shfl_sync(FULL, index, t + group);
            const double v = __shfl_sync(FULL, value, t + group);
            const typename V::type *vectors = (const typename V::type *)(B + (int64)row * stride);
#pragma unroll
            for (int s = 0; s < STRIPS; s++) {
                const int vector = place + s * LANES;
                if (vector < n_vectors) add(sum[s], v, vectors[vector]);
            }
        }
    }
#pragma unroll
    for (int s = 0; s < STRIPS; s++)
        for (int c = 0; c < V::size; c++)
            for (int away = LANES; away < WARP; away *= 2) sum[s][c] += __shfl_xor_sync(FULL, sum[s][c], away);
}

// out[i] = sum over the stored values p of row i of data[p] * B[indices[p]].
extern "C" __global__ void project(const int64 *indptr, const int *indices, const REAL *data, const REAL *B, int stride,
                                   double *out, int n_topics, int64 n_rows) {
    typedef Vector<REAL> V;
    double sum[STRIPS][V::size];
    const int lane = threadIdx.x % WARP;
    for (int64 i = first_warp(); i < n_rows; i += n_warps()) {
        weighted_rows(indices, data, B, stride, indptr[i], indptr[i + 1], sum);
        if (lane < LANES)
            for (int s = 0; s < STRIPS; s++)
                for (int c = 0; c < V::size; c++) {
                    const int j = (lane + s * LANES) * V::size + c;
                    if (j < n_topics) out[i * n_topics + j] = sum[s][c];
                }
    }
}

// The same for rows cut into pieces: piece q is [starts[q], stops[q]) of row owner[q]. The sum of a row with one piece is added
// to out[owner]; those of the pieces of other rows go to parts[slot[q]], to be added up by `add_parts`.
extern "C" __global__ void collect(const int64 *starts, const int64 *stops, const int *owner, const int64 *slot,
                                   const int *indices, const REAL *data, const REAL *B, int stride, double *out, double *parts, int n_topics,
                                   int64 n_pieces) {
    typedef Vector<REAL> V;
    double sum[STRIPS][V::size];
    const int lane = threadIdx.x % WARP;
    for (int64 q = first_warp(); q < n_pieces; q += n_warps()) {
        weighted_rows(indices, data, B, stride, starts[q], stops[q], sum);
        if (lane < LANES)
            for (int s = 0; s < STRIPS; s++)
                for (int c = 0; c < V::size; c++) {
                    const int j = (lane + s * LANES) * V::size + c;
                    if (j >= n_topics) continue;
                    if (slot[q] < 0) out[(int64)owner[q] * n_topics + j] += sum[s][c];
                    else parts[slot[q] * n_topics + j] = sum[s][c];
                }
    }
}

// out[rows[r]] += sum of parts[ends[r]] to parts[ends[r + 1] - 1]; a block for each r, its warps take consecutive runs.
extern "C" __global__ void add_parts(const int *rows, const int64 *ends, const double *parts, double *out, int n_topics) {
    __shared__ double of_warps[WARP][WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, n = blockDim.x / WARP;
    const int64 start = ends[blockIdx.x], end = ends[blockIdx.x + 1], run = (end - start + n - 1) / n;
    const int64 low = start + warp * run, high = low + run < end ? low + run : end;
    for (int first = 0; first < n_topics; first += WARP) {
        const int j = first + lane;
        double sum = 0;
        if (j < n_topics)
#pragma unroll 8
            for (int64 q = low; q < high; q++) sum += parts[q * n_topics + j];
        of_warps[warp][lane] = sum;
        __syncthreads();
        if (warp == 0 && j < n_topics) {
            for (int w = 1; w < n; w++) sum += of_warps[w][lane];
            out[(int64)rows[blockIdx.x] * n_topics + j] += sum;
        }
        __syncthreads();
    }
}

// For term terms[t] and stretch s of documents, the first stored value of a document in it or later.
extern "C" __global__ void boundaries(const int64 *indptr, const int *documents, const int *terms, int n_terms, int64 stretch,
                                      int n_stretches, int64 *out) {
    const int64 t = blockIdx.x * (int64)blockDim.x + threadIdx.x;
    if (t >= (int64)n_terms * n_stretches) return;
    const int term = terms[t % n_terms];
    const int64 first = t / n_terms * stretch;
    int64 low = indptr[term], high = indptr[term + 1];
    while (low < high) {
        const int64 middle = (low + high) / 2;
        if (documents[middle] < first) low = middle + 1; else high = middle;
    }
    out[t] = low;
}

// The row number of every stored value.
extern "C" __global__ void row_numbers(const int64 *indptr, int *rows, int64 n_rows) {
    for (int64 i = first_warp(); i < n_rows; i += n_warps())
        for (int64 p = indptr[i] + threadIdx.x % WARP; p < indptr[i + 1]; p += WARP) rows[p] = (int)i;
}

// The columns of a Gram matrix that is padded so that every lane has COLS of them.
#define STRIDE (COLS * WARP)

// Read a padded Gram matrix into shared memory, if it is to be there; return where it is.
template <typename T> __device__ __forceinline__ const T *near(const T *matrix, bool is_shared, char *shared) {
    if (!is_shared) return matrix;
    T *copy = (T *)shared;
    for (int t = threadIdx.x; t < STRIDE * STRIDE; t += blockDim.x) copy[t] = matrix[t];
    __syncthreads();
    return copy;
}

// Add sign * f gram to g, both spread over the lanes of a warp; zeros of f cost nothing.
template <typename T> __device__ __forceinline__ void add_product(const T *f, const T *G, T sign, T *g) {
    const int lane = threadIdx.x % WARP;
#pragma unroll
    for (int c = 0; c < COLS; c++)
        for (unsigned used = __ballot_sync(FULL, f[c] != 0); used; used &= used - 1) {
            const int l = __ffs(used) - 1;
            const T value = sign * __shfl_sync(FULL, f[c], l);
            const T *row = G + (c * WARP + l) * STRIDE + lane;
#pragma unroll
            for (int d = 0; d < COLS; d++) g[d] += value * row[d * WARP];
        }
}

// Coordinate descent on rows of F: f_j <- max(0, f_j + (scale * rhs_j - f . gram_j) / gram_jj), topic by topic, n_sweeps times.
// Each lane holds COLS columns of the row and of the gradient f gram - rhs, which follows every move.
extern "C" __global__ void hals(REAL *F, const double *rhs, double scale, const REAL *gram, int n_topics, int64 n_rows,
                                int n_sweeps, int is_shared) {
    extern __shared__ __align__(16) char shared[];
    const REAL *G = near(gram, is_shared, shared);
    const int lane = threadIdx.x % WARP;
    REAL f[COLS], g[COLS], inverse[COLS];
#pragma unroll
    for (int c = 0; c < COLS; c++) {
        const REAL curvature = G[(lane + c * WARP) * (STRIDE + 1)];
        inverse[c] = curvature > 0 ? 1 / curvature : (REAL)0;
    }
    for (int64 i = first_warp(); i < n_rows; i += n_warps()) {
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            const int j = lane + c * WARP;
            f[c] = j < n_topics ? F[i * n_topics + j] : (REAL)0;
        }
        for (int sweep = 0; sweep < n_sweeps; sweep++) {
#pragma unroll
            for (int c = 0; c < COLS; c++) {
                const int j = lane + c * WARP;
                g[c] = j < n_topics ? (REAL)(-scale * rhs[i * n_topics + j]) : (REAL)0;
            }
            add_product(f, G, (REAL)1, g);
#pragma unroll
            for (int c = 0; c < COLS; c++) {
                const REAL *row = G + c * WARP * STRIDE + lane;
                const int left = n_topics - c * WARP, n = left < WARP ? left : WARP;
#pragma unroll 4
                for (int l = 0; l < n; l++, row += STRIDE) {
                    const REAL to = f[c] - g[c] * inverse[c], mine = (to > 0 ? to : (REAL)0) - f[c];
                    const REAL step = __shfl_sync(FULL, mine, l);
                    if (step == 0) continue;
                    if (lane == l) f[c] = to > 0 ? to : (REAL)0;
#pragma unroll
                    for (int d = 0; d < COLS; d++) g[d] += step * row[d * WARP];
                }
            }
        }
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            const int j = lane + c * WARP;
            if (j < n_topics) F[i * n_topics + j] = f[c];
        }
    }
}

// Greedy coordinate descent on rows of F, in double: n_updates times, move the coordinate that lowers the objective most.
extern "C" __global__ void greedy(REAL *F, const double *rhs, const double *gram, int n_topics, int64 n_rows, int n_updates,
                                  int is_shared) {
    extern __shared__ __align__(16) char shared[];
    const double *G = near(gram, is_shared, shared);
    const int lane = threadIdx.x % WARP;
    double f[COLS], g[COLS];
    for (int64 i = first_warp(); i < n_rows; i += n_warps()) {
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            const int j = lane + c * WARP;
            f[c] = j < n_topics ? (double)F[i * n_topics + j] : 0.0;
            g[c] = j < n_topics ? -rhs[i * n_topics + j] : 0.0;
        }
        add_product(f, G, 1.0, g);
        for (int update = 0; update < n_updates; update++) {
            double best_gain = 0, best_move = 0;
            int best = n_topics;
#pragma unroll
            for (int c = 0; c < COLS; c++) {
                const int j = lane + c * WARP;
                const double curvature = G[j * (STRIDE + 1)];
                if (!(curvature > 0)) continue;
                const double there = -g[c] / curvature, move = there > -f[c] ? there : -f[c];
                const double gain = -move * (g[c] + 0.5 * curvature * move);
                if (gain > best_gain) { best_gain = gain; best_move = move; best = j; }
            }
            for (int away = WARP / 2; away; away /= 2) {
                const double gain = __shfl_xor_sync(FULL, best_gain, away), move = __shfl_xor_sync(FULL, best_move, away);
                const int other = __shfl_xor_sync(FULL, best, away);
                if (gain > best_gain || (gain == best_gain && other < best)) {
                    best_gain = gain; best_move = move; best = other;
                }
            }
            if (best == n_topics) break;
#pragma unroll
            for (int c = 0; c < COLS; c++) {
                const int j = lane + c * WARP;
                if (j == best) f[c] = f[c] + best_move > 0 ? f[c] + best_move : 0.0;
                g[c] += best_move * G[best * STRIDE + j];
            }
        }
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            const int j = lane + c * WARP;
            if (j < n_topics) F[i * n_topics + j] = (REAL)f[c];
        }
    }
}

// out_i = f_i gram f_i - 2 rhs_i . f_i = -f_i . (rhs_i + (rhs_i - f_i gram)), in double.
extern "C" __global__ void quadratic(const REAL *F, const double *rhs, const double *gram, double *out, int n_topics,
                                     int64 n_rows, int is_shared) {
    extern __shared__ __align__(16) char shared[];
    const double *G = near(gram, is_shared, shared);
    const int lane = threadIdx.x % WARP;
    double f[COLS], r[COLS], left[COLS];
    for (int64 i = first_warp(); i < n_rows; i += n_warps()) {
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            const int j = lane + c * WARP;
            f[c] = j < n_topics ? (double)F[i * n_topics + j] : 0.0;
            r[c] = j < n_topics ? rhs[i * n_topics + j] : 0.0;
            left[c] = r[c];
        }
        add_product(f, G, -1.0, left);
        double sum = 0;
#pragma unroll
        for (int c = 0; c < COLS; c++) sum -= f[c] * (r[c] + left[c]);
        for (int away = WARP / 2; away; away /= 2) sum += __shfl_xor_sync(FULL, sum, away);
        if (lane == 0) out[i] = sum;
    }
}

// Tiles of 64 x 64 of the Gram matrix A' (weight * B), in double. A block takes a run of rows for one tile, reads 16 rows at a
// time into shared memory, and each of its 256 threads sums 4 x 4 numbers. parts has a matrix for each run.
#define SIDE 64
#define ROWS 16
extern "C" __global__ void partial_grams(const REAL *A, int n_a, const double *weight, const REAL *B, int n_b, double *parts,
                                         int64 n_rows, int64 rows_per_run) {
    __shared__ double a[ROWS][SIDE + 1], b[ROWS][SIDE + 1];
    const int tiles = (n_b + SIDE - 1) / SIDE, low_a = blockIdx.y / tiles * SIDE, low_b = blockIdx.y % tiles * SIDE;
    const int64 start = blockIdx.x * rows_per_run, stop = start + rows_per_run, end = stop < n_rows ? stop : n_rows;
    const int y = threadIdx.x / 16, x = threadIdx.x % 16;
    double sum[4][4] = {};
    for (int64 first = start; first < end; first += ROWS) {
        for (int t = threadIdx.x; t < ROWS * SIDE; t += blockDim.x) {
            const int64 i = first + t / SIDE;
            const int j = t % SIDE;
            a[t / SIDE][j] = i < end && low_a + j < n_a ? weight[i] * (double)A[i * n_a + low_a + j] : 0.0;
            b[t / SIDE][j] = i < end && low_b + j < n_b ? (double)B[i * n_b + low_b + j] : 0.0;
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            double left[4], right[4];
#pragma unroll
            for (int c = 0; c < 4; c++) { left[c] = a[r][y + 16 * c]; right[c] = b[r][x + 16 * c]; }
#pragma unroll
            for (int c = 0; c < 4; c++)
#pragma unroll
                for (int d = 0; d < 4; d++) sum[c][d] += left[c] * right[d];
        }
        __syncthreads();
    }
    double *part = parts + (int64)blockIdx.x * n_a * n_b;
    for (int c = 0; c < 4; c++)
        for (int d = 0; d < 4; d++) {
            const int j = low_a + y + 16 * c, k = low_b + x + 16 * d;
            if (j < n_a && k < n_b) part[(int64)j * n_b + k] = sum[c][d];
        }
}

// parts[b] = sum of weight_i f_i over the rows of run b, in double; a thread for each column and row of a block.
extern "C" __global__ void partial_sums(const REAL *F, const double *weight, double *parts, int n_topics, int64 n_rows,
                                        int64 rows_per_run) {
    extern __shared__ __align__(16) char shared[];
    double *sums = (double *)shared;
    const int rows = blockDim.y, y = threadIdx.y;
    const int64 start = blockIdx.x * rows_per_run, stop = start + rows_per_run, end = stop < n_rows ? stop : n_rows;
    for (int j = threadIdx.x; j < n_topics; j += blockDim.x) {
        double sum = 0;
#pragma unroll 4
        for (int64 i = start + y; i < end; i += rows) sum += weight[i] * (double)F[i * n_topics + j];
        sums[y * n_topics + j] = sum;
    }
    __syncthreads();
    if (y == 0)
        for (int j = threadIdx.x; j < n_topics; j += blockDim.x) {
            double sum = 0;
            for (int r = 0; r < rows; r++) sum += sums[r * n_topics + j];
            parts[(int64)blockIdx.x * n_topics + j] = sum;
        }
}

// out[i] = sum of squares of row i, in double.
extern "C" __global__ void squared_norms(const int64 *indptr, const REAL *data, double *out, int64 n_rows) {
    const int lane = threadIdx.x % WARP;
    for (int64 i = first_warp(); i < n_rows; i += n_warps()) {
        double sum = 0;
        for (int64 p = indptr[i] + lane; p < indptr[i + 1]; p += WARP) sum += (double)data[p] * (double)data[p];
        for (int away = WARP / 2; away; away /= 2) sum += __shfl_xor_sync(FULL, sum, away);
        if (lane == 0) out[i] = sum;
    }
}

// EM for the mixture of each row over the background and the topics, and its lift (tonmf.nmf.mixture). There are COLS columns
// of shares for each lane. The ratios of a row's terms, with a 1 for the background, lie in tiles of 32 terms in shared memory:
// sums over topics have a lane for each term, sums over terms a lane for each topic. Longer rows than `n_slots` tiles read the
// last ones again in each step. Steps are in float, the lift in double.
#define WIDE (STRIDE + 1)
extern "C" __global__ void mixtures(const int64 *indptr, const int *indices, const REAL *data, const float *ratios,
                                    const double *prior, int n_topics, int n_steps, double *theta, double *lift, int64 n_rows,
                                    int n_slots) {
    extern __shared__ __align__(16) char shared[];
    const int lane = threadIdx.x % WARP, n_mixed = n_topics + 1;
    float *shares = (float *)shared + (threadIdx.x / WARP) * (STRIDE + WARP + n_slots * WARP * (WIDE + 1));
    float *pulls = shares + STRIDE, *counts = pulls + WARP, *tiles = counts + n_slots * WARP;
    double mass = 0;
    for (int k = 0; k < n_mixed; k++) mass += prior[k];
    for (int64 i = first_warp(); i < n_rows; i += n_warps()) {
        const int64 first = indptr[i], n_terms = indptr[i + 1] - first, n_tiles = (n_terms + WARP - 1) / WARP;
        double total = 0;
        for (int64 p = first + lane; p < first + n_terms; p += WARP) total += data[p];
        for (int away = WARP / 2; away; away /= 2) total += __shfl_xor_sync(FULL, total, away);
        if (!(total > 0)) {
            for (int k = lane; k < n_mixed; k += WARP) theta[i * n_mixed + k] = k == 0;
            if (lane == 0) lift[i] = 0;
            continue;
        }
        const double scale = 1 / (total + mass);
        float share[COLS], pulled[COLS], from_prior[COLS];
        double exact[COLS], logs = 0;
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            const int k = lane + c * WARP;
            share[c] = k < n_mixed;
            from_prior[c] = k < n_mixed ? (float)(scale * prior[k]) : 0.0f;
        }
        // The step after the last computes the lift with the final shares.
        for (int step = 0; step <= n_steps; step++) {
            if (step == n_steps) {
                double sum = 0;
#pragma unroll
                for (int c = 0; c < COLS; c++) sum += share[c];
                for (int away = WARP / 2; away; away /= 2) sum += __shfl_xor_sync(FULL, sum, away);
#pragma unroll
                for (int c = 0; c < COLS; c++) {
                    const int k = lane + c * WARP;
                    exact[c] = share[c] / sum;
                    if (k < n_mixed) theta[i * n_mixed + k] = exact[c];
                }
            }
            __syncwarp();
#pragma unroll
            for (int c = 0; c < COLS; c++) {
                pulled[c] = 0;
                shares[lane + c * WARP] = share[c];
            }
            __syncwarp();
            for (int64 b = 0; b < n_tiles; b++) {
                const int slot = b < n_slots ? (int)b : n_slots - 1;
                float *tile = tiles + slot * WARP * WIDE;
                const int64 begin = first + b * WARP;
                const int n = first + n_terms - begin < WARP ? (int)(first + n_terms - begin) : WARP;
                if (step == 0 || (b >= n_slots - 1 && n_tiles > n_slots)) {
                    __syncwarp();
                    const int mine = lane < n ? indices[begin + lane] : -1;
#pragma unroll 8
                    for (int t = 0; t < WARP; t++) {
                        const int term = __shfl_sync(FULL, mine, t);
#pragma unroll
                        for (int c = 0; c < COLS; c++) {
                            const int k = lane + c * WARP;
                            const bool is_topic = term >= 0 && k > 0 && k < n_mixed;
                            tile[t * WIDE + k] = is_topic ? ratios[(int64)term * n_topics + k - 1] : (float)(k == 0);
                        }
                    }
                    counts[slot * WARP + lane] = lane < n ? (float)(scale * data[begin + lane]) : 0.0f;
                    __syncwarp();
                }
                const float *row = tile + lane * WIDE;
                if (step == n_steps) {
                    double sum = 0;
#pragma unroll
                    for (int c = 0; c < COLS; c++)
                        for (int l = 0; l < WARP && c * WARP + l < n_mixed; l++)
                            sum += __shfl_sync(FULL, exact[c], l) * row[c * WARP + l];
                    if (lane < n) logs += (double)data[begin + lane] * log(sum);
                    continue;
                }
                float4 sum = {0, 0, 0, 0};
#pragma unroll 4
                for (int k = 0; k < n_mixed; k += 4) {
                    const float4 s = *(const float4 *)(shares + k);
                    sum.x += s.x * row[k]; sum.y += s.y * row[k + 1]; sum.z += s.z * row[k + 2]; sum.w += s.w * row[k + 3];
                }
                __syncwarp();
                pulls[lane] = counts[slot * WARP + lane] / ((sum.x + sum.y) + (sum.z + sum.w));
                __syncwarp();
#pragma unroll 4
                for (int t = 0; t < n; t += 4) {
                    const float4 pull = *(const float4 *)(pulls + t);
                    const float *below = tile + t * WIDE + lane;
#pragma unroll
                    for (int c = 0; c < COLS; c++) {
                        pulled[c] += pull.x * below[c * WARP] + pull.y * below[WIDE + c * WARP];
                        pulled[c] += pull.z * below[2 * WIDE + c * WARP] + pull.w * below[3 * WIDE + c * WARP];
                    }
                }
            }
            if (step < n_steps)
#pragma unroll
                for (int c = 0; c < COLS; c++) share[c] = from_prior[c] + share[c] * pulled[c];
        }
        for (int away = WARP / 2; away; away /= 2) logs += __shfl_xor_sync(FULL, logs, away);
        if (lane == 0) lift[i] = logs / total;
        __syncwarp();
    }
}

// Products of each row with `n_others` rows, given by terms, in shared memory; then the largest, one after the other. Without
// `weights`, out_i is the mean of the n_largest, and a product of 1 is left out if it is the largest. With them, out_i is the
// sum of the n_largest weighted products, and the first product of 1 is left out.
extern "C" __global__ void nearest(const int64 *indptr, const int *indices, const REAL *data, const int64 *others_indptr,
                                   const int *others_rows, const REAL *others_data, int n_others, const double *weights,
                                   int n_largest, double same_row, double *out, int64 n_rows) {
    extern __shared__ __align__(16) char shared[];
    const int lane = threadIdx.x % WARP;
    REAL *products = (REAL *)shared + (int64)(threadIdx.x / WARP) * n_others;
    for (int64 i = first_warp(); i < n_rows; i += n_warps()) {
        for (int k = lane; k < n_others; k += WARP) products[k] = 0;
        __syncwarp();
        for (int64 p = indptr[i]; p < indptr[i + 1]; p++) {
            const REAL value = data[p];
            const int64 end = others_indptr[indices[p] + 1];
            for (int64 q = others_indptr[indices[p]] + lane; q < end; q += WARP) products[others_rows[q]] += value * others_data[q];
            __syncwarp();
        }
        int n_left = n_largest < n_others ? n_largest : n_others;
        if (weights) {
            int itself = n_others;
            for (int k = lane; k < n_others; k += WARP)
                if (products[k] > same_row && k < itself) itself = k;
            for (int away = WARP / 2; away; away /= 2) {
                const int other = __shfl_xor_sync(FULL, itself, away);
                itself = other < itself ? other : itself;
            }
            for (int k = lane; k < n_others; k += WARP) products[k] = k == itself ? (REAL)0 : (REAL)(products[k] * weights[k]);
        }
        REAL best = -1;
        int place = lane;
        for (int k = lane; k < n_others; k += WARP)
            if (products[k] > best) { best = products[k]; place = k; }
        double sum = 0;
        int n = 0;
        for (int turn = 0; n < n_left; turn++) {
            REAL most = best;
            int winner = lane;
            for (int away = WARP / 2; away; away /= 2) {
                const REAL other = __shfl_xor_sync(FULL, most, away);
                const int its = __shfl_xor_sync(FULL, winner, away);
                if (other > most || (other == most && its < winner)) { most = other; winner = its; }
            }
            if (!(most > 0)) break;
            if (turn == 0 && !weights && most > same_row) {
                if (n_left == n_others) n_left--;
            } else {
                sum += most;
                n++;
            }
            if (lane == winner) {
                products[place] = -1;
                best = -1;
                for (int k = lane; k < n_others; k += WARP)
                    if (products[k] > best) { best = products[k]; place = k; }
            }
        }
        if (lane == 0) out[i] = weights ? sum : n_left > 0 ? sum / n_left : 0.0;
        __syncwarp();
    }
}

// The least value in each column of `values` over the terms of each row.
extern "C" __global__ void smallest(const int64 *indptr, const int *indices, const unsigned *values, int n_columns, unsigned *out,
                                    int64 n_rows) {
    const int lane = threadIdx.x % WARP;
    for (int64 i = first_warp(); i < n_rows; i += n_warps())
        for (int c = lane; c < n_columns; c += WARP) {
            unsigned least = 0xffffffffu;
#pragma unroll 8
            for (int64 p = indptr[i]; p < indptr[i + 1]; p++) {
                const unsigned value = values[(int64)indices[p] * n_columns + c];
                least = value < least ? value : least;
            }
            out[i * n_columns + c] = least;
        }
}

// out_p = theta_0 + sum over k of theta_k ratios_k of the term of each stored value p of each row, in double.
extern "C" __global__ void mixed(const int64 *indptr, const int *indices, const float *ratios, const double *theta, int n_topics,
                                 double *out, int64 n_rows) {
    const int lane = threadIdx.x % WARP;
    for (int64 i = first_warp(); i < n_rows; i += n_warps()) {
        const double *shares = theta + i * (n_topics + 1);
        for (int64 p = indptr[i] + lane; p < indptr[i + 1]; p += WARP) {
            double sum = shares[0];
            for (int k = 0; k < n_topics; k++) sum += shares[k + 1] * ratios[(int64)indices[p] * n_topics + k];
            out[p] = sum;
        }
    }
}
