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
  const int group = blockIdx.x;
  __shared__ float shared_partial0[32];
  __shared__ float shared_partial1[32];
  const int v6 = subgroup * 128;
  const int v11 = (int)n_logits_stride0;
  const int v12 = group * v11;
  const long long v13 = (long long)v12;
  const int v14 = v12 + v6;
  const Pack<float, 4> pack0 = load_pack<4>(p_logits + (v14 + lane * 4));
  const float v15 = pack0.item[0];
  const int v16 = v14 + 1;
  const float v17 = pack0.item[1];
  const float v18 = max_nan(v15, v17);
  const int v19 = v14 + 2;
  const float v20 = pack0.item[2];
  const float v21 = max_nan(v18, v20);
  const int v22 = v14 + 3;
  const float v23 = pack0.item[3];
  const float v24 = max_nan(v21, v23);
  float v25 = v24;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v25, distance);
    v25 = max_nan(v25, other);
  }
  if (lane == 0) shared_partial0[subgroup] = v25;
  __syncthreads();
  const float v27 = shared_partial0[lane];
  float v28 = v27;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v28, distance);
    v28 = max_nan(v28, other);
  }
  const long long v29 = p_labels[group];
  const bool v30 = v29 >= 0LL;
  const bool v31 = v29 < 4096LL;
  const bool v32 = v30 & v31;
  const long long v34 = (long long)((unsigned long long)v13 + (unsigned long long)v29);
  const float v35 = v32 ? p_logits[v34] : 0.0f;
  const float v36 = v32 ? v35 : 0.0f;
  const bool v37 = (fabs(v28) < __uint_as_float(0x7f800000U));
  const float v38 = v37 ? v28 : 0.0f;
  const Pack<float, 4> pack1 = load_pack<4>(p_logits + (v14 + lane * 4));
  const float v39 = pack1.item[0];
  const float v40 = v39 - v38;
  const float v41 = expf(v40);
  const float v42 = 0.0f + v41;
  const float v43 = pack1.item[1];
  const float v44 = v43 - v38;
  const float v45 = expf(v44);
  const float v46 = v42 + v45;
  const float v47 = pack1.item[2];
  const float v48 = v47 - v38;
  const float v49 = expf(v48);
  const float v50 = v46 + v49;
  const float v51 = pack1.item[3];
  const float v52 = v51 - v38;
  const float v53 = expf(v52);
  const float v54 = v50 + v53;
  float v55 = v54;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v55, distance);
    v55 = v55 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v55;
  __syncthreads();
  const float v56 = shared_partial1[lane];
  float v57 = v56;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v57, distance);
    v57 = v57 + other;
  }
  const float v58 = logf(v57);
  const float v59 = v38 - v36;
  const float v60 = v59 + v58;
  const bool v61 = subgroup == 0;
  if (v61) {
    if (lane == 0) p_loss[group] = v60;
  }
}
