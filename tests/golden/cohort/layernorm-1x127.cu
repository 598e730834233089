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

extern "C" __global__ void __launch_bounds__(32) layer_norm_kernel_64d6963907b4_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int group = blockIdx.x;
  float own_stripe0[4];
  float own_stripe1[4];
  const int v4 = (int)n_x_stride0;
  const int v5 = group * v4;
  const float v6 = p_x[v5];
  const int v12 = lane * 4;
  const bool v14 = v12 < 124;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v5 + lane * 4));
  const float v15 = pack0.item[0];
  own_stripe0[0] = v15;
  const float v16 = v15 - v6;
  const float v17 = 0.0f + v16;
  const int v18 = v5 + 1;
  const float v19 = pack0.item[1];
  own_stripe0[1] = v19;
  const float v20 = v19 - v6;
  const float v21 = v17 + v20;
  const int v22 = v5 + 2;
  const float v23 = p_x[v22 + lane * 4];
  own_stripe0[2] = v23;
  const float v24 = v23 - v6;
  const float v25 = v21 + v24;
  const int v26 = v5 + 3;
  const float v27 = v14 ? p_x[v26 + lane * 4] : 0.0f;
  own_stripe0[3] = v27;
  const float v28 = v27 - v6;
  const float v29 = v25 + v28;
  const float v30 = v14 ? v29 : v25;
  float v31 = v30;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v31, distance);
    v31 = v31 + other;
  }
  const float v33 = v31 / 127.0f;
  const float v34 = -v6;
  const float v36 = own_stripe0[0];
  const float v37 = fmaf(v36, 1.0f, v34);
  const float v38 = v37 - v33;
  own_stripe1[0] = v38;
  const float v39 = v38 * v38;
  const float v40 = 0.0f + v39;
  const float v41 = own_stripe0[1];
  const float v42 = fmaf(v41, 1.0f, v34);
  const float v43 = v42 - v33;
  own_stripe1[1] = v43;
  const float v44 = v43 * v43;
  const float v45 = v40 + v44;
  const float v46 = own_stripe0[2];
  const float v47 = fmaf(v46, 1.0f, v34);
  const float v48 = v47 - v33;
  own_stripe1[2] = v48;
  const float v49 = v48 * v48;
  const float v50 = v45 + v49;
  const float v51 = own_stripe0[3];
  const float v52 = fmaf(v51, 1.0f, v34);
  const float v53 = v52 - v33;
  own_stripe1[3] = v53;
  const float v54 = v53 * v53;
  const float v55 = v50 + v54;
  const float v56 = v14 ? v55 : v50;
  float v57 = v56;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v57, distance);
    v57 = v57 + other;
  }
  const float v59 = v57 / 127.0f;
  const float v60 = v59 + n_eps;
  const float v61 = __frsqrt_rn(v60);
  const Pack<float, 2> pack1 = load_pack<2>(p_bias + (lane * 4));
  const float v62 = pack1.item[0];
  const Pack<float, 2> pack2 = load_pack<2>(p_weight + (lane * 4));
  const float v63 = pack2.item[0];
  const float v64 = own_stripe1[0];
  const float v65 = v64 * v61;
  const float v66 = v65 * v63;
  const float v67 = v66 + v62;
  const int v69 = (int)n_y_stride0;
  const int v70 = group * v69;
  const float v71 = pack1.item[1];
  const float v72 = pack2.item[1];
  const float v73 = own_stripe1[1];
  const float v74 = v73 * v61;
  const float v75 = v74 * v72;
  const float v76 = v75 + v71;
  const int v77 = v70 + 1;
  store_pack(p_y + (v70 + lane * 4), Pack<float, 2>{{v67, v76}});
  const float v78 = p_bias[2 + lane * 4];
  const float v79 = p_weight[2 + lane * 4];
  const float v80 = own_stripe1[2];
  const float v81 = v80 * v61;
  const float v82 = v81 * v79;
  const float v83 = v82 + v78;
  const int v84 = v70 + 2;
  p_y[v84 + lane * 4] = v83;
  const float v85 = v14 ? p_bias[3 + lane * 4] : 0.0f;
  const float v86 = v14 ? p_weight[3 + lane * 4] : 0.0f;
  const float v87 = own_stripe1[3];
  const float v88 = v87 * v61;
  const float v89 = v88 * v86;
  const float v90 = v89 + v85;
  const int v91 = v70 + 3;
  if (v14) p_y[v91 + lane * 4] = v90;
}
