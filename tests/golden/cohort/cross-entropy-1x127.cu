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

extern "C" __global__ void __launch_bounds__(32) cross_entropy_kernel_aa37c16c4c25_0(const float* __restrict__ p_logits, const long long* __restrict__ p_labels, float* __restrict__ p_loss, long long n_logits_stride0) {
  __builtin_assume(n_logits_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  const int v2 = (int)group;
  const int v9 = lane * 4;
  const bool v12 = v9 < 124;
  const int v14 = (int)n_logits_stride0;
  const int v15 = v2 * v14;
  const long long v16 = (long long)v15;
  const Pack<float, 2> pack0 = load_pack<2>(p_logits + (v15 + lane * 4));
  const float v17 = pack0.item[0];
  const float v18 = max_nan(__uint_as_float(0xff800000U), v17);
  const int v19 = v15 + 1;
  const float v20 = pack0.item[1];
  const float v21 = max_nan(v18, v20);
  const int v22 = v15 + 2;
  const float v23 = p_logits[v22 + lane * 4];
  const float v24 = max_nan(v21, v23);
  const int v26 = v15 + 3;
  const float v27 = v12 ? p_logits[v26 + lane * 4] : 0.0f;
  const float v28 = max_nan(v24, v27);
  const float v29 = v12 ? v28 : v24;
  float v30 = v29;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v30, distance);
    v30 = max_nan(v30, other);
  }
  const long long v31 = p_labels[v2];
  const bool v32 = v31 >= 0LL;
  const bool v33 = v31 < 127LL;
  const bool v34 = v32 & v33;
  const long long v35 = (long long)((unsigned long long)v16 + (unsigned long long)v31);
  const float v36 = v34 ? p_logits[v35] : 0.0f;
  const float v37 = v34 ? v36 : 0.0f;
  const bool v38 = (fabs(v30) < __uint_as_float(0x7f800000U));
  const float v39 = v38 ? v30 : 0.0f;
  const Pack<float, 2> pack1 = load_pack<2>(p_logits + (v15 + lane * 4));
  const float v40 = pack1.item[0];
  const float v41 = v40 - v39;
  const float v42 = expf(v41);
  const float v43 = 0.0f + v42;
  const float v44 = pack1.item[1];
  const float v45 = v44 - v39;
  const float v46 = expf(v45);
  const float v47 = v43 + v46;
  const float v48 = p_logits[v22 + lane * 4];
  const float v49 = v48 - v39;
  const float v50 = expf(v49);
  const float v51 = v47 + v50;
  const float v52 = v12 ? p_logits[v26 + lane * 4] : 0.0f;
  const float v53 = v52 - v39;
  const float v54 = expf(v53);
  const float v55 = v51 + v54;
  const float v56 = v12 ? v55 : v51;
  float v57 = v56;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v57, distance);
    v57 = v57 + other;
  }
  const float v58 = logf(v57);
  const float v59 = v39 - v37;
  const float v60 = v59 + v58;
  if (lane == 0) p_loss[v2] = v60;
}
