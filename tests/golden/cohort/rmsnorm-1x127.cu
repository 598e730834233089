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

extern "C" __global__ void __launch_bounds__(32) rms_norm_kernel_c56920be72e0_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  float own_stripe0[4];
  const int v2 = (int)group;
  const int v9 = lane * 4;
  const bool v11 = v9 < 124;
  const int v13 = (int)n_x_stride0;
  const int v14 = v2 * v13;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v14 + lane * 4));
  const float v15 = pack0.item[0];
  own_stripe0[0] = v15;
  const float v16 = v15 * v15;
  const float v17 = 0.0f + v16;
  const int v18 = v14 + 1;
  const float v19 = pack0.item[1];
  own_stripe0[1] = v19;
  const float v20 = v19 * v19;
  const float v21 = v17 + v20;
  const int v22 = v14 + 2;
  const float v23 = p_x[v22 + lane * 4];
  own_stripe0[2] = v23;
  const float v24 = v23 * v23;
  const float v25 = v21 + v24;
  const int v26 = v14 + 3;
  const float v27 = v11 ? p_x[v26 + lane * 4] : 0.0f;
  own_stripe0[3] = v27;
  const float v28 = v27 * v27;
  const float v29 = v25 + v28;
  const float v30 = v11 ? v29 : v25;
  float v31 = v30;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v31, distance);
    v31 = v31 + other;
  }
  const float v34 = v31 / 127.0f;
  const float v35 = v34 + n_eps;
  const float v36 = __frsqrt_rn(v35);
  const Pack<float, 2> pack1 = load_pack<2>(p_weight + (lane * 4));
  const float v37 = pack1.item[0];
  const float v38 = own_stripe0[0];
  const float v39 = v38 * v36;
  const float v40 = v39 * v37;
  const int v42 = (int)n_y_stride0;
  const int v43 = v2 * v42;
  const float v44 = pack1.item[1];
  const float v45 = own_stripe0[1];
  const float v46 = v45 * v36;
  const float v47 = v46 * v44;
  const int v48 = v43 + 1;
  store_pack(p_y + (v43 + lane * 4), Pack<float, 2>{{v40, v47}});
  const float v49 = p_weight[2 + lane * 4];
  const float v50 = own_stripe0[2];
  const float v51 = v50 * v36;
  const float v52 = v51 * v49;
  const int v53 = v43 + 2;
  p_y[v53 + lane * 4] = v52;
  const float v54 = v11 ? p_weight[3 + lane * 4] : 0.0f;
  const float v55 = own_stripe0[3];
  const float v56 = v55 * v36;
  const float v57 = v56 * v54;
  const int v58 = v43 + 3;
  if (v11) p_y[v58 + lane * 4] = v57;
}
