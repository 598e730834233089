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

extern "C" __global__ void __launch_bounds__(1024) cross_entropy_kernel_f2bb5a5bed44_0(const float* __restrict__ p_logits, const long long* __restrict__ p_labels, float* __restrict__ p_loss, long long n_logits_stride0) {
  __builtin_assume(n_logits_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[32];
  __shared__ float shared_partial1[32];
  const int v4 = (int)group;
  const int v8 = subgroup * 128;
  const int v13 = (int)n_logits_stride0;
  const int v14 = v4 * v13;
  const long long v15 = (long long)v14;
  const int v16 = v14 + v8;
  const Pack<float, 4> pack0 = load_pack<4>(p_logits + (v16 + lane * 4));
  const float v17 = pack0.item[0];
  const float v18 = max_nan(__uint_as_float(0xff800000U), v17);
  const int v19 = v16 + 1;
  const float v20 = pack0.item[1];
  const float v21 = max_nan(v18, v20);
  const int v22 = v16 + 2;
  const float v23 = pack0.item[2];
  const float v24 = max_nan(v21, v23);
  const int v25 = v16 + 3;
  const float v26 = pack0.item[3];
  const float v27 = max_nan(v24, v26);
  float v28 = v27;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v28, distance);
    v28 = max_nan(v28, other);
  }
  if (lane == 0) shared_partial0[subgroup] = v28;
  __syncthreads();
  const float v30 = shared_partial0[lane];
  float v31 = v30;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v31, distance);
    v31 = max_nan(v31, other);
  }
  const long long v32 = p_labels[v4];
  const bool v33 = v32 >= 0LL;
  const bool v34 = v32 < 4096LL;
  const bool v35 = v33 & v34;
  const long long v37 = (long long)((unsigned long long)v15 + (unsigned long long)v32);
  const float v38 = v35 ? p_logits[v37] : 0.0f;
  const float v39 = v35 ? v38 : 0.0f;
  const bool v40 = (fabs(v31) < __uint_as_float(0x7f800000U));
  const float v41 = v40 ? v31 : 0.0f;
  const Pack<float, 4> pack1 = load_pack<4>(p_logits + (v16 + lane * 4));
  const float v42 = pack1.item[0];
  const float v43 = v42 - v41;
  const float v44 = expf(v43);
  const float v45 = 0.0f + v44;
  const float v46 = pack1.item[1];
  const float v47 = v46 - v41;
  const float v48 = expf(v47);
  const float v49 = v45 + v48;
  const float v50 = pack1.item[2];
  const float v51 = v50 - v41;
  const float v52 = expf(v51);
  const float v53 = v49 + v52;
  const float v54 = pack1.item[3];
  const float v55 = v54 - v41;
  const float v56 = expf(v55);
  const float v57 = v53 + v56;
  float v58 = v57;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v58, distance);
    v58 = v58 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v58;
  __syncthreads();
  const float v59 = shared_partial1[lane];
  float v60 = v59;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v60, distance);
    v60 = v60 + other;
  }
  const float v61 = logf(v60);
  const float v62 = v41 - v39;
  const float v63 = v62 + v61;
  const bool v64 = subgroup == 0;
  if (v64) {
    if (lane == 0) p_loss[v4] = v63;
  }
}
