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

extern "C" __global__ void __launch_bounds__(512) softmax_kernel_8fe43520bf7e_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[16];
  __shared__ float shared_partial1[16];
  float own_stripe0[2];
  float own_stripe1[2];
  const long long v5 = (long long)subgroup;
  const long long v7 = v5 * 64LL;
  const long long v9 = group * n_x_stride0;
  const long long v10 = v9 + v7;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + v10 + lane * 2LL);
  const float v11 = pack0.item[0];
  own_stripe0[0LL] = v11;
  const float v12 = max_nan(__uint_as_float(0xff800000U), v11);
  const long long v13 = v10 + 1LL;
  const float v14 = pack0.item[1];
  own_stripe0[1LL] = v14;
  const float v15 = max_nan(v12, v14);
  float v16 = v15;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v16, distance);
    v16 = max_nan(v16, other);
  }
  if (lane == 0) shared_partial0[v5] = v16;
  __syncthreads();
  const long long v19 = (long long)lane;
  const bool v20 = v19 < 16LL;
  const float v21 = v20 ? shared_partial0[v19] : __uint_as_float(0xff800000U);
  float v22 = v21;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v22, distance);
    v22 = max_nan(v22, other);
  }
  const float v24 = own_stripe0[0LL];
  const float v25 = v24 - v22;
  const float v26 = expf(v25);
  own_stripe1[0LL] = v26;
  const float v27 = 0.0f + v26;
  const float v28 = own_stripe0[1LL];
  const float v29 = v28 - v22;
  const float v30 = expf(v29);
  own_stripe1[1LL] = v30;
  const float v31 = v27 + v30;
  float v32 = v31;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v32, distance);
    v32 = v32 + other;
  }
  if (lane == 0) shared_partial1[v5] = v32;
  __syncthreads();
  const float v33 = v20 ? shared_partial1[v19] : 0.0f;
  float v34 = v33;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v34, distance);
    v34 = v34 + other;
  }
  const float v36 = 1.0f / v34;
  const float v37 = own_stripe1[0LL];
  const float v38 = v37 * v36;
  const long long v40 = group * n_y_stride0;
  const long long v41 = v40 + v7;
  const float v42 = own_stripe1[1LL];
  const float v43 = v42 * v36;
  const long long v44 = v41 + 1LL;
  store_pack(p_y + v41 + lane * 2LL, Pack<float, 2>{{v38, v43}});
}
