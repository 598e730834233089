template <typename T, int N> struct alignas(N * sizeof(T)) Pack {
  T item[N];
};
template <int BYTES> struct Words;
template <> struct Words<2> { typedef unsigned short type; };
template <> struct Words<4> { typedef unsigned int type; };
template <> struct Words<8> { typedef uint2 type; };
template <> struct Words<16> { typedef uint4 type; };

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> load_pack(const T* from) {
  union { typename Words<N * sizeof(T)>::type words; Pack<T, N> pack; } both;
  both.words = *(const typename Words<N * sizeof(T)>::type*)from;
  return both.pack;
}

template <typename T> __device__ __forceinline__ T max_nan(T a, T b) {
  return (a > b || a != a) ? a : b;
}
template <> __device__ __forceinline__ float max_nan<float>(float a, float b) {
  float value;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
  return value;
}

extern "C" __global__ void __launch_bounds__(512) cross_entropy_kernel_9cb1a3910f53_0(const float* __restrict__ p_logits, const long long* __restrict__ p_labels, float* __restrict__ p_loss, long long n_logits_stride0) {
  __builtin_assume(n_logits_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[16];
  __shared__ float shared_partial1[16];
  const int v4 = (int)group;
  const int v8 = subgroup * 64;
  const int v11 = (int)n_logits_stride0;
  const int v12 = v4 * v11;
  const long long v13 = (long long)v12;
  const int v14 = v12 + v8;
  const Pack<float, 2> pack0 = load_pack<2>(p_logits + (v14 + lane * 2));
  const float v15 = pack0.item[0];
  const float v16 = max_nan(__uint_as_float(0xff800000U), v15);
  const int v17 = v14 + 1;
  const float v18 = pack0.item[1];
  const float v19 = max_nan(v16, v18);
  float v20 = v19;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v20, distance);
    v20 = max_nan(v20, other);
  }
  if (lane == 0) shared_partial0[subgroup] = v20;
  __syncthreads();
  const bool v23 = lane < 16;
  const float v24 = v23 ? shared_partial0[lane] : __uint_as_float(0xff800000U);
  float v25 = v24;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v25, distance);
    v25 = max_nan(v25, other);
  }
  const long long v26 = p_labels[v4];
  const bool v27 = v26 >= 0LL;
  const bool v28 = v26 < 1024LL;
  const bool v29 = v27 & v28;
  const long long v31 = (long long)((unsigned long long)v13 + (unsigned long long)v26);
  const float v32 = v29 ? p_logits[v31] : 0.0f;
  const float v33 = v29 ? v32 : 0.0f;
  const bool v34 = (fabs(v25) < __uint_as_float(0x7f800000U));
  const float v35 = v34 ? v25 : 0.0f;
  const Pack<float, 2> pack1 = load_pack<2>(p_logits + (v14 + lane * 2));
  const float v36 = pack1.item[0];
  const float v37 = v36 - v35;
  const float v38 = expf(v37);
  const float v39 = 0.0f + v38;
  const float v40 = pack1.item[1];
  const float v41 = v40 - v35;
  const float v42 = expf(v41);
  const float v43 = v39 + v42;
  float v44 = v43;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v44, distance);
    v44 = v44 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v44;
  __syncthreads();
  const float v45 = v23 ? shared_partial1[lane] : 0.0f;
  float v46 = v45;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v46, distance);
    v46 = v46 + other;
  }
  const float v47 = logf(v46);
  const float v48 = v35 - v33;
  const float v49 = v48 + v47;
  const bool v50 = subgroup == 0;
  if (v50) {
    if (lane == 0) p_loss[v4] = v49;
  }
}
