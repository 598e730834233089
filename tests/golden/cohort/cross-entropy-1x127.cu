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
  const int group = blockIdx.x;
  const int v7 = lane * 4;
  const bool v10 = v7 < 124;
  const int v12 = (int)n_logits_stride0;
  const int v13 = group * v12;
  const long long v14 = (long long)v13;
  const Pack<float, 2> pack0 = load_pack<2>(p_logits + (v13 + lane * 4));
  const float v15 = pack0.item[0];
  const int v16 = v13 + 1;
  const float v17 = pack0.item[1];
  const float v18 = max_nan(v15, v17);
  const int v19 = v13 + 2;
  const float v20 = p_logits[v19 + lane * 4];
  const float v21 = max_nan(v18, v20);
  const int v23 = v13 + 3;
  const float v24 = v10 ? p_logits[v23 + lane * 4] : 0.0f;
  const float v25 = max_nan(v21, v24);
  const float v26 = v10 ? v25 : v21;
  float v27 = v26;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v27, distance);
    v27 = max_nan(v27, other);
  }
  const long long v28 = p_labels[group];
  const bool v29 = v28 >= 0LL;
  const bool v30 = v28 < 127LL;
  const bool v31 = v29 & v30;
  const long long v32 = (long long)((unsigned long long)v14 + (unsigned long long)v28);
  const float v33 = v31 ? p_logits[v32] : 0.0f;
  const float v34 = v31 ? v33 : 0.0f;
  const bool v35 = (fabs(v27) < __uint_as_float(0x7f800000U));
  const float v36 = v35 ? v27 : 0.0f;
  const Pack<float, 2> pack1 = load_pack<2>(p_logits + (v13 + lane * 4));
  const float v37 = pack1.item[0];
  const float v38 = v37 - v36;
  const float v39 = expf(v38);
  const float v40 = 0.0f + v39;
  const float v41 = pack1.item[1];
  const float v42 = v41 - v36;
  const float v43 = expf(v42);
  const float v44 = v40 + v43;
  const float v45 = p_logits[v19 + lane * 4];
  const float v46 = v45 - v36;
  const float v47 = expf(v46);
  const float v48 = v44 + v47;
  const float v49 = v10 ? p_logits[v23 + lane * 4] : 0.0f;
  const float v50 = v49 - v36;
  const float v51 = expf(v50);
  const float v52 = v48 + v51;
  const float v53 = v10 ? v52 : v48;
  float v54 = v53;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v54, distance);
    v54 = v54 + other;
  }
  const float v55 = logf(v54);
  const float v56 = v36 - v34;
  const float v57 = v56 + v55;
  if (lane == 0) p_loss[group] = v57;
}
