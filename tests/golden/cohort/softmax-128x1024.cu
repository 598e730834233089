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
  const int v3 = (int)group;
  const int v7 = subgroup * 64;
  const int v9 = (int)n_x_stride0;
  const int v10 = v3 * v9;
  const int v11 = v10 + v7;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v11 + lane * 2));
  const float v12 = pack0.item[0];
  own_stripe0[0] = v12;
  const float v13 = max_nan(__uint_as_float(0xff800000U), v12);
  const int v14 = v11 + 1;
  const float v15 = pack0.item[1];
  own_stripe0[1] = v15;
  const float v16 = max_nan(v13, v15);
  float v17 = v16;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v17, distance);
    v17 = max_nan(v17, other);
  }
  if (lane == 0) shared_partial0[subgroup] = v17;
  __syncthreads();
  const bool v20 = lane < 16;
  const float v21 = v20 ? shared_partial0[lane] : __uint_as_float(0xff800000U);
  float v22 = v21;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v22, distance);
    v22 = max_nan(v22, other);
  }
  const float v24 = own_stripe0[0];
  const float v25 = v24 - v22;
  const float v26 = expf(v25);
  own_stripe1[0] = v26;
  const float v27 = 0.0f + v26;
  const float v28 = own_stripe0[1];
  const float v29 = v28 - v22;
  const float v30 = expf(v29);
  own_stripe1[1] = v30;
  const float v31 = v27 + v30;
  float v32 = v31;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v32, distance);
    v32 = v32 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v32;
  __syncthreads();
  const float v33 = v20 ? shared_partial1[lane] : 0.0f;
  float v34 = v33;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v34, distance);
    v34 = v34 + other;
  }
  const float v36 = 1.0f / v34;
  const float v37 = own_stripe1[0];
  const float v38 = v37 * v36;
  const int v40 = (int)n_y_stride0;
  const int v41 = v3 * v40;
  const int v42 = v41 + v7;
  const float v43 = own_stripe1[1];
  const float v44 = v43 * v36;
  const int v45 = v42 + 1;
  store_pack(p_y + (v42 + lane * 2), Pack<float, 2>{{v38, v44}});
}
