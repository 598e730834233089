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

extern "C" __global__ void __launch_bounds__(32) layer_norm_kernel_d2f2a86fc986_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, const float* __restrict__ p_residual, long long n_x_stride0, long long n_residual_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_residual_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  float own_stripe0[4];
  float own_stripe1[4];
  const int v2 = (int)group;
  const int v5 = (int)n_x_stride0;
  const int v6 = v2 * v5;
  const float v7 = p_x[v6];
  const int v13 = lane * 4;
  const bool v15 = v13 < 124;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v6 + lane * 4));
  const float v16 = pack0.item[0];
  const int v18 = (int)n_residual_stride0;
  const int v19 = v2 * v18;
  const Pack<float, 2> pack1 = load_pack<2>(p_residual + (v19 + lane * 4));
  const float v20 = pack1.item[0];
  const float v21 = v16 + v20;
  own_stripe0[0] = v21;
  const float v22 = v21 - v7;
  const float v23 = 0.0f + v22;
  const int v24 = v6 + 1;
  const float v25 = pack0.item[1];
  const int v26 = v19 + 1;
  const float v27 = pack1.item[1];
  const float v28 = v25 + v27;
  own_stripe0[1] = v28;
  const float v29 = v28 - v7;
  const float v30 = v23 + v29;
  const int v31 = v6 + 2;
  const float v32 = p_x[v31 + lane * 4];
  const int v33 = v19 + 2;
  const float v34 = p_residual[v33 + lane * 4];
  const float v35 = v32 + v34;
  own_stripe0[2] = v35;
  const float v36 = v35 - v7;
  const float v37 = v30 + v36;
  const int v38 = v6 + 3;
  const float v39 = v15 ? p_x[v38 + lane * 4] : 0.0f;
  const int v40 = v19 + 3;
  const float v41 = v15 ? p_residual[v40 + lane * 4] : 0.0f;
  const float v42 = v39 + v41;
  own_stripe0[3] = v42;
  const float v43 = v42 - v7;
  const float v44 = v37 + v43;
  const float v45 = v15 ? v44 : v37;
  float v46 = v45;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v46, distance);
    v46 = v46 + other;
  }
  const float v48 = v46 / 127.0f;
  const float v49 = -v7;
  const float v51 = own_stripe0[0];
  const float v52 = fmaf(v51, 1.0f, v49);
  const float v53 = v52 - v48;
  own_stripe1[0] = v53;
  const float v54 = v53 * v53;
  const float v55 = 0.0f + v54;
  const float v56 = own_stripe0[1];
  const float v57 = fmaf(v56, 1.0f, v49);
  const float v58 = v57 - v48;
  own_stripe1[1] = v58;
  const float v59 = v58 * v58;
  const float v60 = v55 + v59;
  const float v61 = own_stripe0[2];
  const float v62 = fmaf(v61, 1.0f, v49);
  const float v63 = v62 - v48;
  own_stripe1[2] = v63;
  const float v64 = v63 * v63;
  const float v65 = v60 + v64;
  const float v66 = own_stripe0[3];
  const float v67 = fmaf(v66, 1.0f, v49);
  const float v68 = v67 - v48;
  own_stripe1[3] = v68;
  const float v69 = v68 * v68;
  const float v70 = v65 + v69;
  const float v71 = v15 ? v70 : v65;
  float v72 = v71;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v72, distance);
    v72 = v72 + other;
  }
  const float v74 = v72 / 127.0f;
  const float v75 = v74 + n_eps;
  const float v76 = __frsqrt_rn(v75);
  const Pack<float, 2> pack2 = load_pack<2>(p_bias + (lane * 4));
  const float v77 = pack2.item[0];
  const Pack<float, 2> pack3 = load_pack<2>(p_weight + (lane * 4));
  const float v78 = pack3.item[0];
  const float v79 = own_stripe1[0];
  const float v80 = v79 * v76;
  const float v81 = v80 * v78;
  const float v82 = v81 + v77;
  const int v84 = (int)n_y_stride0;
  const int v85 = v2 * v84;
  const float v86 = pack2.item[1];
  const float v87 = pack3.item[1];
  const float v88 = own_stripe1[1];
  const float v89 = v88 * v76;
  const float v90 = v89 * v87;
  const float v91 = v90 + v86;
  const int v92 = v85 + 1;
  store_pack(p_y + (v85 + lane * 4), Pack<float, 2>{{v82, v91}});
  const float v93 = p_bias[2 + lane * 4];
  const float v94 = p_weight[2 + lane * 4];
  const float v95 = own_stripe1[2];
  const float v96 = v95 * v76;
  const float v97 = v96 * v94;
  const float v98 = v97 + v93;
  const int v99 = v85 + 2;
  p_y[v99 + lane * 4] = v98;
  const float v100 = v15 ? p_bias[3 + lane * 4] : 0.0f;
  const float v101 = v15 ? p_weight[3 + lane * 4] : 0.0f;
  const float v102 = own_stripe1[3];
  const float v103 = v102 * v76;
  const float v104 = v103 * v101;
  const float v105 = v104 + v100;
  const int v106 = v85 + 3;
  if (v15) p_y[v106 + lane * 4] = v105;
}
