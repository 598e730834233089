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
  const int group = blockIdx.x;
  float own_stripe0[4];
  const int v8 = lane * 4;
  const bool v10 = v8 < 124;
  const int v12 = (int)n_x_stride0;
  const int v13 = group * v12;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v13 + lane * 4));
  const float v14 = pack0.item[0];
  own_stripe0[0] = v14;
  const float v15 = v14 * v14;
  const float v16 = 0.0f + v15;
  const int v17 = v13 + 1;
  const float v18 = pack0.item[1];
  own_stripe0[1] = v18;
  const float v19 = v18 * v18;
  const float v20 = v16 + v19;
  const int v21 = v13 + 2;
  const float v22 = p_x[v21 + lane * 4];
  own_stripe0[2] = v22;
  const float v23 = v22 * v22;
  const float v24 = v20 + v23;
  const int v25 = v13 + 3;
  const float v26 = v10 ? p_x[v25 + lane * 4] : 0.0f;
  own_stripe0[3] = v26;
  const float v27 = v26 * v26;
  const float v28 = v24 + v27;
  const float v29 = v10 ? v28 : v24;
  float v30 = v29;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v30, distance);
    v30 = v30 + other;
  }
  const float v33 = v30 / 127.0f;
  const float v34 = v33 + n_eps;
  const float v35 = __frsqrt_rn(v34);
  const Pack<float, 2> pack1 = load_pack<2>(p_weight + (lane * 4));
  const float v36 = pack1.item[0];
  const float v37 = own_stripe0[0];
  const float v38 = v37 * v35;
  const float v39 = v38 * v36;
  const int v41 = (int)n_y_stride0;
  const int v42 = group * v41;
  const float v43 = pack1.item[1];
  const float v44 = own_stripe0[1];
  const float v45 = v44 * v35;
  const float v46 = v45 * v43;
  const int v47 = v42 + 1;
  store_pack(p_y + (v42 + lane * 4), Pack<float, 2>{{v39, v46}});
  const float v48 = p_weight[2 + lane * 4];
  const float v49 = own_stripe0[2];
  const float v50 = v49 * v35;
  const float v51 = v50 * v48;
  const int v52 = v42 + 2;
  p_y[v52 + lane * 4] = v51;
  const float v53 = v10 ? p_weight[3 + lane * 4] : 0.0f;
  const float v54 = own_stripe0[3];
  const float v55 = v54 * v35;
  const float v56 = v55 * v53;
  const int v57 = v42 + 3;
  if (v10) p_y[v57 + lane * 4] = v56;
}
