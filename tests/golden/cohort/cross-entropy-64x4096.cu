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
  const long long v6 = (long long)subgroup;
  const long long v8 = v6 * 128LL;
  const long long v13 = group * n_logits_stride0;
  const long long v14 = v13 + v8;
  const Pack<float, 4> pack0 = load_pack<4>(p_logits + v14 + lane * 4LL);
  const float v15 = pack0.item[0];
  const float v16 = max_nan(__uint_as_float(0xff800000U), v15);
  const long long v17 = v14 + 1LL;
  const float v18 = pack0.item[1];
  const float v19 = max_nan(v16, v18);
  const long long v20 = v14 + 2LL;
  const float v21 = pack0.item[2];
  const float v22 = max_nan(v19, v21);
  const long long v23 = v14 + 3LL;
  const float v24 = pack0.item[3];
  const float v25 = max_nan(v22, v24);
  float v26 = v25;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v26, distance);
    v26 = max_nan(v26, other);
  }
  if (lane == 0) shared_partial0[v6] = v26;
  __syncthreads();
  const long long v28 = (long long)lane;
  const float v29 = shared_partial0[v28];
  float v30 = v29;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v30, distance);
    v30 = max_nan(v30, other);
  }
  const long long v31 = p_labels[group];
  const bool v32 = v31 >= 0LL;
  const bool v33 = v31 < 4096LL;
  const bool v34 = v32 & v33;
  const long long v36 = (long long)((unsigned long long)v13 + (unsigned long long)v31);
  const float v37 = v34 ? p_logits[v36] : 0.0f;
  const float v38 = v34 ? v37 : 0.0f;
  const bool v39 = (fabs(v30) < __uint_as_float(0x7f800000U));
  const float v40 = v39 ? v30 : 0.0f;
  const Pack<float, 4> pack1 = load_pack<4>(p_logits + v14 + lane * 4LL);
  const float v41 = pack1.item[0];
  const float v42 = v41 - v40;
  const float v43 = expf(v42);
  const float v44 = 0.0f + v43;
  const float v45 = pack1.item[1];
  const float v46 = v45 - v40;
  const float v47 = expf(v46);
  const float v48 = v44 + v47;
  const float v49 = pack1.item[2];
  const float v50 = v49 - v40;
  const float v51 = expf(v50);
  const float v52 = v48 + v51;
  const float v53 = pack1.item[3];
  const float v54 = v53 - v40;
  const float v55 = expf(v54);
  const float v56 = v52 + v55;
  float v57 = v56;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v57, distance);
    v57 = v57 + other;
  }
  if (lane == 0) shared_partial1[v6] = v57;
  __syncthreads();
  const float v58 = shared_partial1[v28];
  float v59 = v58;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v59, distance);
    v59 = v59 + other;
  }
  const float v60 = logf(v59);
  const float v61 = v40 - v38;
  const float v62 = v61 + v60;
  const bool v63 = subgroup == 0;
  if (v63) {
    if (lane == 0) p_loss[group] = v62;
  }
}
