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

extern "C" __global__ void __launch_bounds__(1024) layer_norm_kernel_1235bbbf3336_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, const float* __restrict__ p_residual, long long n_residual_stride0, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_residual_stride0 % 16 == 0);
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const int group = blockIdx.x;
  __shared__ float shared_partial0[32];
  __shared__ float shared_partial1[32];
  float own_stripe0[4];
  float own_stripe1[4];
  const int v5 = (int)n_residual_stride0;
  const int v6 = group * v5;
  const float v7 = p_residual[v6];
  const int v9 = (int)n_x_stride0;
  const int v10 = group * v9;
  const float v11 = p_x[v10];
  const float v12 = v11 + v7;
  const int v15 = subgroup * 128;
  const int v16 = v15 + 1;
  const int v18 = v15 + 2;
  const int v20 = v15 + 3;
  const int v21 = v10 + v15;
  const Pack<float, 4> pack0 = load_pack<4>(p_x + (v21 + lane * 4));
  const float v22 = pack0.item[0];
  const int v23 = v6 + v15;
  const Pack<float, 4> pack1 = load_pack<4>(p_residual + (v23 + lane * 4));
  const float v24 = pack1.item[0];
  const float v25 = v22 + v24;
  own_stripe0[0] = v25;
  const float v26 = v25 - v12;
  const float v27 = 0.0f + v26;
  const int v28 = v21 + 1;
  const float v29 = pack0.item[1];
  const int v30 = v23 + 1;
  const float v31 = pack1.item[1];
  const float v32 = v29 + v31;
  own_stripe0[1] = v32;
  const float v33 = v32 - v12;
  const float v34 = v27 + v33;
  const int v35 = v21 + 2;
  const float v36 = pack0.item[2];
  const int v37 = v23 + 2;
  const float v38 = pack1.item[2];
  const float v39 = v36 + v38;
  own_stripe0[2] = v39;
  const float v40 = v39 - v12;
  const float v41 = v34 + v40;
  const int v42 = v21 + 3;
  const float v43 = pack0.item[3];
  const int v44 = v23 + 3;
  const float v45 = pack1.item[3];
  const float v46 = v43 + v45;
  own_stripe0[3] = v46;
  const float v47 = v46 - v12;
  const float v48 = v41 + v47;
  float v49 = v48;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v49, distance);
    v49 = v49 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v49;
  __syncthreads();
  const float v51 = shared_partial0[lane];
  float v52 = v51;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v52, distance);
    v52 = v52 + other;
  }
  const float v54 = v52 / 4096.0f;
  const float v55 = -v12;
  const float v57 = own_stripe0[0];
  const float v58 = fmaf(v57, 1.0f, v55);
  const float v59 = v58 - v54;
  own_stripe1[0] = v59;
  const float v60 = v59 * v59;
  const float v61 = 0.0f + v60;
  const float v62 = own_stripe0[1];
  const float v63 = fmaf(v62, 1.0f, v55);
  const float v64 = v63 - v54;
  own_stripe1[1] = v64;
  const float v65 = v64 * v64;
  const float v66 = v61 + v65;
  const float v67 = own_stripe0[2];
  const float v68 = fmaf(v67, 1.0f, v55);
  const float v69 = v68 - v54;
  own_stripe1[2] = v69;
  const float v70 = v69 * v69;
  const float v71 = v66 + v70;
  const float v72 = own_stripe0[3];
  const float v73 = fmaf(v72, 1.0f, v55);
  const float v74 = v73 - v54;
  own_stripe1[3] = v74;
  const float v75 = v74 * v74;
  const float v76 = v71 + v75;
  float v77 = v76;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v77, distance);
    v77 = v77 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v77;
  __syncthreads();
  const float v78 = shared_partial1[lane];
  float v79 = v78;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v79, distance);
    v79 = v79 + other;
  }
  const float v81 = v79 / 4096.0f;
  const float v82 = v81 + n_eps;
  const float v83 = __frsqrt_rn(v82);
  const Pack<float, 4> pack2 = load_pack<4>(p_bias + (v15 + lane * 4));
  const float v84 = pack2.item[0];
  const Pack<float, 4> pack3 = load_pack<4>(p_weight + (v15 + lane * 4));
  const float v85 = pack3.item[0];
  const float v86 = own_stripe1[0];
  const float v87 = v86 * v83;
  const float v88 = v87 * v85;
  const float v89 = v88 + v84;
  const int v91 = (int)n_y_stride0;
  const int v92 = group * v91;
  const int v93 = v92 + v15;
  const float v94 = pack2.item[1];
  const float v95 = pack3.item[1];
  const float v96 = own_stripe1[1];
  const float v97 = v96 * v83;
  const float v98 = v97 * v95;
  const float v99 = v98 + v94;
  const int v100 = v93 + 1;
  const float v101 = pack2.item[2];
  const float v102 = pack3.item[2];
  const float v103 = own_stripe1[2];
  const float v104 = v103 * v83;
  const float v105 = v104 * v102;
  const float v106 = v105 + v101;
  const int v107 = v93 + 2;
  const float v108 = pack2.item[3];
  const float v109 = pack3.item[3];
  const float v110 = own_stripe1[3];
  const float v111 = v110 * v83;
  const float v112 = v111 * v109;
  const float v113 = v112 + v108;
  const int v114 = v93 + 3;
  store_pack(p_y + (v93 + lane * 4), Pack<float, 4>{{v89, v99, v106, v113}});
}
