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

extern "C" __global__ void __launch_bounds__(32) softmax_kernel_c78bf73303d0_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int group = blockIdx.x;
  float own_stripe0[4];
  float own_stripe1[4];
  const int v7 = lane * 4;
  const bool v9 = v7 < 124;
  const int v11 = (int)n_x_stride0;
  const int v12 = group * v11;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v12 + lane * 4));
  const float v13 = pack0.item[0];
  own_stripe0[0] = v13;
  const int v14 = v12 + 1;
  const float v15 = pack0.item[1];
  own_stripe0[1] = v15;
  const float v16 = max_nan(v13, v15);
  const int v17 = v12 + 2;
  const float v18 = p_x[v17 + lane * 4];
  own_stripe0[2] = v18;
  const float v19 = max_nan(v16, v18);
  const int v21 = v12 + 3;
  const float v22 = v9 ? p_x[v21 + lane * 4] : 0.0f;
  own_stripe0[3] = v22;
  const float v23 = max_nan(v19, v22);
  const float v24 = v9 ? v23 : v19;
  float v25 = v24;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v25, distance);
    v25 = max_nan(v25, other);
  }
  const float v26 = own_stripe0[0];
  const float v27 = v26 - v25;
  const float v28 = expf(v27);
  own_stripe1[0] = v28;
  const float v29 = 0.0f + v28;
  const float v30 = own_stripe0[1];
  const float v31 = v30 - v25;
  const float v32 = expf(v31);
  own_stripe1[1] = v32;
  const float v33 = v29 + v32;
  const float v34 = own_stripe0[2];
  const float v35 = v34 - v25;
  const float v36 = expf(v35);
  own_stripe1[2] = v36;
  const float v37 = v33 + v36;
  const float v38 = own_stripe0[3];
  const float v39 = v38 - v25;
  const float v40 = expf(v39);
  own_stripe1[3] = v40;
  const float v41 = v37 + v40;
  const float v42 = v9 ? v41 : v37;
  float v43 = v42;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v43, distance);
    v43 = v43 + other;
  }
  const float v45 = 1.0f / v43;
  const float v46 = own_stripe1[0];
  const float v47 = v46 * v45;
  const int v49 = (int)n_y_stride0;
  const int v50 = group * v49;
  const float v51 = own_stripe1[1];
  const float v52 = v51 * v45;
  const int v53 = v50 + 1;
  store_pack(p_y + (v50 + lane * 4), Pack<float, 2>{{v47, v52}});
  const float v54 = own_stripe1[2];
  const float v55 = v54 * v45;
  const int v56 = v50 + 2;
  p_y[v56 + lane * 4] = v55;
  const float v57 = own_stripe1[3];
  const float v58 = v57 * v45;
  const int v59 = v50 + 3;
  if (v9) p_y[v59 + lane * 4] = v58;
}
