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

extern "C" __global__ void __launch_bounds__(32) layer_norm_kernel_17f00bf25328_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, const float* __restrict__ p_residual, long long n_residual_stride0, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_residual_stride0 % 16 == 0);
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int group = blockIdx.x;
  float own_stripe0[4];
  float own_stripe1[4];
  const int v4 = (int)n_residual_stride0;
  const int v5 = group * v4;
  const float v6 = p_residual[v5];
  const int v8 = (int)n_x_stride0;
  const int v9 = group * v8;
  const float v10 = p_x[v9];
  const float v11 = v10 + v6;
  const int v17 = lane * 4;
  const bool v19 = v17 < 124;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v9 + lane * 4));
  const float v20 = pack0.item[0];
  const Pack<float, 2> pack1 = load_pack<2>(p_residual + (v5 + lane * 4));
  const float v21 = pack1.item[0];
  const float v22 = v20 + v21;
  own_stripe0[0] = v22;
  const float v23 = v22 - v11;
  const float v24 = 0.0f + v23;
  const int v25 = v9 + 1;
  const float v26 = pack0.item[1];
  const int v27 = v5 + 1;
  const float v28 = pack1.item[1];
  const float v29 = v26 + v28;
  own_stripe0[1] = v29;
  const float v30 = v29 - v11;
  const float v31 = v24 + v30;
  const int v32 = v9 + 2;
  const float v33 = p_x[v32 + lane * 4];
  const int v34 = v5 + 2;
  const float v35 = p_residual[v34 + lane * 4];
  const float v36 = v33 + v35;
  own_stripe0[2] = v36;
  const float v37 = v36 - v11;
  const float v38 = v31 + v37;
  const int v39 = v9 + 3;
  const float v40 = v19 ? p_x[v39 + lane * 4] : 0.0f;
  const int v41 = v5 + 3;
  const float v42 = v19 ? p_residual[v41 + lane * 4] : 0.0f;
  const float v43 = v40 + v42;
  own_stripe0[3] = v43;
  const float v44 = v43 - v11;
  const float v45 = v38 + v44;
  const float v46 = v19 ? v45 : v38;
  float v47 = v46;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v47, distance);
    v47 = v47 + other;
  }
  const float v49 = v47 / 127.0f;
  const float v50 = -v11;
  const float v52 = own_stripe0[0];
  const float v53 = fmaf(v52, 1.0f, v50);
  const float v54 = v53 - v49;
  own_stripe1[0] = v54;
  const float v55 = v54 * v54;
  const float v56 = 0.0f + v55;
  const float v57 = own_stripe0[1];
  const float v58 = fmaf(v57, 1.0f, v50);
  const float v59 = v58 - v49;
  own_stripe1[1] = v59;
  const float v60 = v59 * v59;
  const float v61 = v56 + v60;
  const float v62 = own_stripe0[2];
  const float v63 = fmaf(v62, 1.0f, v50);
  const float v64 = v63 - v49;
  own_stripe1[2] = v64;
  const float v65 = v64 * v64;
  const float v66 = v61 + v65;
  const float v67 = own_stripe0[3];
  const float v68 = fmaf(v67, 1.0f, v50);
  const float v69 = v68 - v49;
  own_stripe1[3] = v69;
  const float v70 = v69 * v69;
  const float v71 = v66 + v70;
  const float v72 = v19 ? v71 : v66;
  float v73 = v72;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v73, distance);
    v73 = v73 + other;
  }
  const float v75 = v73 / 127.0f;
  const float v76 = v75 + n_eps;
  const float v77 = __frsqrt_rn(v76);
  const Pack<float, 2> pack2 = load_pack<2>(p_bias + (lane * 4));
  const float v78 = pack2.item[0];
  const Pack<float, 2> pack3 = load_pack<2>(p_weight + (lane * 4));
  const float v79 = pack3.item[0];
  const float v80 = own_stripe1[0];
  const float v81 = v80 * v77;
  const float v82 = v81 * v79;
  const float v83 = v82 + v78;
  const int v85 = (int)n_y_stride0;
  const int v86 = group * v85;
  const float v87 = pack2.item[1];
  const float v88 = pack3.item[1];
  const float v89 = own_stripe1[1];
  const float v90 = v89 * v77;
  const float v91 = v90 * v88;
  const float v92 = v91 + v87;
  const int v93 = v86 + 1;
  store_pack(p_y + (v86 + lane * 4), Pack<float, 2>{{v83, v92}});
  const float v94 = p_bias[2 + lane * 4];
  const float v95 = p_weight[2 + lane * 4];
  const float v96 = own_stripe1[2];
  const float v97 = v96 * v77;
  const float v98 = v97 * v95;
  const float v99 = v98 + v94;
  const int v100 = v86 + 2;
  p_y[v100 + lane * 4] = v99;
  const float v101 = v19 ? p_bias[3 + lane * 4] : 0.0f;
  const float v102 = v19 ? p_weight[3 + lane * 4] : 0.0f;
  const float v103 = own_stripe1[3];
  const float v104 = v103 * v77;
  const float v105 = v104 * v102;
  const float v106 = v105 + v101;
  const int v107 = v86 + 3;
  if (v19) p_y[v107 + lane * 4] = v106;
}
