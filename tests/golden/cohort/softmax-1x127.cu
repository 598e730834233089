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
  const long long group = blockIdx.x;
  float own_stripe0[4];
  float own_stripe1[4];
  const int v2 = (int)group;
  const int v9 = lane * 4;
  const bool v11 = v9 < 124;
  const int v13 = (int)n_x_stride0;
  const int v14 = v2 * v13;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v14 + lane * 4));
  const float v15 = pack0.item[0];
  own_stripe0[0] = v15;
  const float v16 = max_nan(__uint_as_float(0xff800000U), v15);
  const int v17 = v14 + 1;
  const float v18 = pack0.item[1];
  own_stripe0[1] = v18;
  const float v19 = max_nan(v16, v18);
  const int v20 = v14 + 2;
  const float v21 = p_x[v20 + lane * 4];
  own_stripe0[2] = v21;
  const float v22 = max_nan(v19, v21);
  const int v24 = v14 + 3;
  const float v25 = v11 ? p_x[v24 + lane * 4] : 0.0f;
  own_stripe0[3] = v25;
  const float v26 = max_nan(v22, v25);
  const float v27 = v11 ? v26 : v22;
  float v28 = v27;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v28, distance);
    v28 = max_nan(v28, other);
  }
  const float v29 = own_stripe0[0];
  const float v30 = v29 - v28;
  const float v31 = expf(v30);
  own_stripe1[0] = v31;
  const float v32 = 0.0f + v31;
  const float v33 = own_stripe0[1];
  const float v34 = v33 - v28;
  const float v35 = expf(v34);
  own_stripe1[1] = v35;
  const float v36 = v32 + v35;
  const float v37 = own_stripe0[2];
  const float v38 = v37 - v28;
  const float v39 = expf(v38);
  own_stripe1[2] = v39;
  const float v40 = v36 + v39;
  const float v41 = own_stripe0[3];
  const float v42 = v41 - v28;
  const float v43 = expf(v42);
  own_stripe1[3] = v43;
  const float v44 = v40 + v43;
  const float v45 = v11 ? v44 : v40;
  float v46 = v45;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v46, distance);
    v46 = v46 + other;
  }
  const float v48 = 1.0f / v46;
  const float v49 = own_stripe1[0];
  const float v50 = v49 * v48;
  const int v52 = (int)n_y_stride0;
  const int v53 = v2 * v52;
  const float v54 = own_stripe1[1];
  const float v55 = v54 * v48;
  const int v56 = v53 + 1;
  store_pack(p_y + (v53 + lane * 4), Pack<float, 2>{{v50, v55}});
  const float v57 = own_stripe1[2];
  const float v58 = v57 * v48;
  const int v59 = v53 + 2;
  p_y[v59 + lane * 4] = v58;
  const float v60 = own_stripe1[3];
  const float v61 = v60 * v48;
  const int v62 = v53 + 3;
  if (v11) p_y[v62 + lane * 4] = v61;
}
