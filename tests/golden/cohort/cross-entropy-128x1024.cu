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
  const int group = blockIdx.x;
  __shared__ float shared_partial0[16];
  __shared__ float shared_partial1[16];
  const int v7 = subgroup * 64;
  const int v10 = (int)n_logits_stride0;
  const int v11 = group * v10;
  const long long v12 = (long long)v11;
  const int v13 = v11 + v7;
  const Pack<float, 2> pack0 = load_pack<2>(p_logits + (v13 + lane * 2));
  const float v14 = pack0.item[0];
  const int v15 = v13 + 1;
  const float v16 = pack0.item[1];
  const float v17 = max_nan(v14, v16);
  float v18 = v17;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v18, distance);
    v18 = max_nan(v18, other);
  }
  if (lane == 0) shared_partial0[subgroup] = v18;
  __syncthreads();
  const bool v21 = lane < 16;
  const float v22 = v21 ? shared_partial0[lane] : __uint_as_float(0xff800000U);
  float v23 = v22;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v23, distance);
    v23 = max_nan(v23, other);
  }
  const long long v24 = p_labels[group];
  const bool v25 = v24 >= 0LL;
  const bool v26 = v24 < 1024LL;
  const bool v27 = v25 & v26;
  const long long v29 = (long long)((unsigned long long)v12 + (unsigned long long)v24);
  const float v30 = v27 ? p_logits[v29] : 0.0f;
  const float v31 = v27 ? v30 : 0.0f;
  const bool v32 = (fabs(v23) < __uint_as_float(0x7f800000U));
  const float v33 = v32 ? v23 : 0.0f;
  const Pack<float, 2> pack1 = load_pack<2>(p_logits + (v13 + lane * 2));
  const float v34 = pack1.item[0];
  const float v35 = v34 - v33;
  const float v36 = expf(v35);
  const float v37 = 0.0f + v36;
  const float v38 = pack1.item[1];
  const float v39 = v38 - v33;
  const float v40 = expf(v39);
  const float v41 = v37 + v40;
  float v42 = v41;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v42, distance);
    v42 = v42 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v42;
  __syncthreads();
  const float v43 = v21 ? shared_partial1[lane] : 0.0f;
  float v44 = v43;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v44, distance);
    v44 = v44 + other;
  }
  const float v45 = logf(v44);
  const float v46 = v33 - v31;
  const float v47 = v46 + v45;
  const bool v48 = subgroup == 0;
  if (v48) {
    if (lane == 0) p_loss[group] = v47;
  }
}
