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
  const int group = blockIdx.x;
  __shared__ float shared_partial0[16];
  __shared__ float shared_partial1[16];
  float own_stripe0[2];
  float own_stripe1[2];
  const int v6 = subgroup * 64;
  const int v8 = (int)n_x_stride0;
  const int v9 = group * v8;
  const int v10 = v9 + v6;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v10 + lane * 2));
  const float v11 = pack0.item[0];
  own_stripe0[0] = v11;
  const int v12 = v10 + 1;
  const float v13 = pack0.item[1];
  own_stripe0[1] = v13;
  const float v14 = max_nan(v11, v13);
  float v15 = v14;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v15, distance);
    v15 = max_nan(v15, other);
  }
  if (lane == 0) shared_partial0[subgroup] = v15;
  __syncthreads();
  const bool v18 = lane < 16;
  const float v19 = v18 ? shared_partial0[lane] : __uint_as_float(0xff800000U);
  float v20 = v19;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v20, distance);
    v20 = max_nan(v20, other);
  }
  const float v22 = own_stripe0[0];
  const float v23 = v22 - v20;
  const float v24 = expf(v23);
  own_stripe1[0] = v24;
  const float v25 = 0.0f + v24;
  const float v26 = own_stripe0[1];
  const float v27 = v26 - v20;
  const float v28 = expf(v27);
  own_stripe1[1] = v28;
  const float v29 = v25 + v28;
  float v30 = v29;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v30, distance);
    v30 = v30 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v30;
  __syncthreads();
  const float v31 = v18 ? shared_partial1[lane] : 0.0f;
  float v32 = v31;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v32, distance);
    v32 = v32 + other;
  }
  const float v34 = 1.0f / v32;
  const float v35 = own_stripe1[0];
  const float v36 = v35 * v34;
  const int v38 = (int)n_y_stride0;
  const int v39 = group * v38;
  const int v40 = v39 + v6;
  const float v41 = own_stripe1[1];
  const float v42 = v41 * v34;
  const int v43 = v40 + 1;
  store_pack(p_y + (v40 + lane * 2), Pack<float, 2>{{v36, v42}});
}
