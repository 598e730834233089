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

template <typename T, int N>
__device__ __forceinline__ void store_pack(T* to, Pack<T, N> pack) {
  union { typename Words<N * sizeof(T)>::type words; Pack<T, N> pack; } both;
  both.pack = pack;
  __stwb((typename Words<N * sizeof(T)>::type*)to, both.words);
}

template <typename T> __device__ __forceinline__ T max_nan(T a, T b) {
  return (a > b || a != a) ? a : b;
}
template <> __device__ __forceinline__ float max_nan<float>(float a, float b) {
  float value;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
  return value;
}

extern "C" __global__ void __launch_bounds__(1024) softmax_kernel_8a0120a3d32f_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[32];
  __shared__ float shared_partial1[32];
  float own_stripe0[4];
  float own_stripe1[4];
  const long long v5 = (long long)subgroup;
  const long long v7 = v5 * 128LL;
  const long long v11 = group * n_x_stride0;
  const long long v12 = v11 + v7;
  const Pack<float, 4> pack0 = load_pack<4>(p_x + v12 + lane * 4LL);
  const float v13 = pack0.item[0];
  own_stripe0[0LL] = v13;
  const float v14 = max_nan(__uint_as_float(0xff800000U), v13);
  const long long v15 = v12 + 1LL;
  const float v16 = pack0.item[1];
  own_stripe0[1LL] = v16;
  const float v17 = max_nan(v14, v16);
  const long long v18 = v12 + 2LL;
  const float v19 = pack0.item[2];
  own_stripe0[2LL] = v19;
  const float v20 = max_nan(v17, v19);
  const long long v21 = v12 + 3LL;
  const float v22 = pack0.item[3];
  own_stripe0[3LL] = v22;
  const float v23 = max_nan(v20, v22);
  float v24 = v23;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v24, distance);
    v24 = max_nan(v24, other);
  }
  if (lane == 0) shared_partial0[v5] = v24;
  __syncthreads();
  const long long v26 = (long long)lane;
  const float v27 = shared_partial0[v26];
  float v28 = v27;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v28, distance);
    v28 = max_nan(v28, other);
  }
  const float v30 = own_stripe0[0LL];
  const float v31 = v30 - v28;
  const float v32 = expf(v31);
  own_stripe1[0LL] = v32;
  const float v33 = 0.0f + v32;
  const float v34 = own_stripe0[1LL];
  const float v35 = v34 - v28;
  const float v36 = expf(v35);
  own_stripe1[1LL] = v36;
  const float v37 = v33 + v36;
  const float v38 = own_stripe0[2LL];
  const float v39 = v38 - v28;
  const float v40 = expf(v39);
  own_stripe1[2LL] = v40;
  const float v41 = v37 + v40;
  const float v42 = own_stripe0[3LL];
  const float v43 = v42 - v28;
  const float v44 = expf(v43);
  own_stripe1[3LL] = v44;
  const float v45 = v41 + v44;
  float v46 = v45;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v46, distance);
    v46 = v46 + other;
  }
  if (lane == 0) shared_partial1[v5] = v46;
  __syncthreads();
  const float v47 = shared_partial1[v26];
  float v48 = v47;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v48, distance);
    v48 = v48 + other;
  }
  const float v50 = 1.0f / v48;
  const float v51 = own_stripe1[0LL];
  const float v52 = v51 * v50;
  const long long v54 = group * n_y_stride0;
  const long long v55 = v54 + v7;
  const float v56 = own_stripe1[1LL];
  const float v57 = v56 * v50;
  const long long v58 = v55 + 1LL;
  const float v59 = own_stripe1[2LL];
  const float v60 = v59 * v50;
  const long long v61 = v55 + 2LL;
  const float v62 = own_stripe1[3LL];
  const float v63 = v62 * v50;
  const long long v64 = v55 + 3LL;
  store_pack(p_y + v55 + lane * 4LL, Pack<float, 4>{{v52, v57, v60, v63}});
}
