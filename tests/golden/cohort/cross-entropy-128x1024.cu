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
  const long long v6 = (long long)subgroup;
  const long long v8 = v6 * 64LL;
  const long long v11 = group * n_logits_stride0;
  const long long v12 = v11 + v8;
  const Pack<float, 2> pack0 = load_pack<2>(p_logits + v12 + lane * 2LL);
  const float v13 = pack0.item[0];
  const float v14 = max_nan(__uint_as_float(0xff800000U), v13);
  const long long v15 = v12 + 1LL;
  const float v16 = pack0.item[1];
  const float v17 = max_nan(v14, v16);
  float v18 = v17;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v18, distance);
    v18 = max_nan(v18, other);
  }
  if (lane == 0) shared_partial0[v6] = v18;
  __syncthreads();
  const long long v21 = (long long)lane;
  const bool v22 = v21 < 16LL;
  const float v23 = v22 ? shared_partial0[v21] : __uint_as_float(0xff800000U);
  float v24 = v23;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v24, distance);
    v24 = max_nan(v24, other);
  }
  const long long v25 = p_labels[group];
  const bool v26 = v25 >= 0LL;
  const bool v27 = v25 < 1024LL;
  const bool v28 = v26 & v27;
  const long long v30 = (long long)((unsigned long long)v11 + (unsigned long long)v25);
  const float v31 = v28 ? p_logits[v30] : 0.0f;
  const float v32 = v28 ? v31 : 0.0f;
  const bool v33 = (fabs(v24) < __uint_as_float(0x7f800000U));
  const float v34 = v33 ? v24 : 0.0f;
  const Pack<float, 2> pack1 = load_pack<2>(p_logits + v12 + lane * 2LL);
  const float v35 = pack1.item[0];
  const float v36 = v35 - v34;
  const float v37 = expf(v36);
  const float v38 = 0.0f + v37;
  const float v39 = pack1.item[1];
  const float v40 = v39 - v34;
  const float v41 = expf(v40);
  const float v42 = v38 + v41;
  float v43 = v42;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v43, distance);
    v43 = v43 + other;
  }
  if (lane == 0) shared_partial1[v6] = v43;
  __syncthreads();
  const float v44 = v22 ? shared_partial1[v21] : 0.0f;
  float v45 = v44;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v45, distance);
    v45 = v45 + other;
  }
  const float v46 = logf(v45);
  const float v47 = v34 - v32;
  const float v48 = v47 + v46;
  const bool v49 = subgroup == 0;
  if (v49) {
    if (lane == 0) p_loss[group] = v48;
  }
}
