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

extern "C" __global__ void __launch_bounds__(1024) layer_norm_kernel_68a12b4dc26c_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, const float* __restrict__ p_residual, long long n_x_stride0, long long n_residual_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_residual_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[32];
  __shared__ float shared_partial1[32];
  float own_stripe0[4];
  float own_stripe1[4];
  const int v3 = (int)group;
  const int v6 = (int)n_x_stride0;
  const int v7 = v3 * v6;
  const float v8 = p_x[v7];
  const int v11 = subgroup * 128;
  const int v12 = v11 + 1;
  const int v14 = v11 + 2;
  const int v16 = v11 + 3;
  const int v17 = v7 + v11;
  const Pack<float, 4> pack0 = load_pack<4>(p_x + (v17 + lane * 4));
  const float v18 = pack0.item[0];
  const int v20 = (int)n_residual_stride0;
  const int v21 = v3 * v20;
  const int v22 = v21 + v11;
  const Pack<float, 4> pack1 = load_pack<4>(p_residual + (v22 + lane * 4));
  const float v23 = pack1.item[0];
  const float v24 = v18 + v23;
  own_stripe0[0] = v24;
  const float v25 = v24 - v8;
  const float v26 = 0.0f + v25;
  const int v27 = v17 + 1;
  const float v28 = pack0.item[1];
  const int v29 = v22 + 1;
  const float v30 = pack1.item[1];
  const float v31 = v28 + v30;
  own_stripe0[1] = v31;
  const float v32 = v31 - v8;
  const float v33 = v26 + v32;
  const int v34 = v17 + 2;
  const float v35 = pack0.item[2];
  const int v36 = v22 + 2;
  const float v37 = pack1.item[2];
  const float v38 = v35 + v37;
  own_stripe0[2] = v38;
  const float v39 = v38 - v8;
  const float v40 = v33 + v39;
  const int v41 = v17 + 3;
  const float v42 = pack0.item[3];
  const int v43 = v22 + 3;
  const float v44 = pack1.item[3];
  const float v45 = v42 + v44;
  own_stripe0[3] = v45;
  const float v46 = v45 - v8;
  const float v47 = v40 + v46;
  float v48 = v47;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v48, distance);
    v48 = v48 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v48;
  __syncthreads();
  const float v50 = shared_partial0[lane];
  float v51 = v50;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v51, distance);
    v51 = v51 + other;
  }
  const float v53 = v51 / 4096.0f;
  const float v54 = -v8;
  const float v56 = own_stripe0[0];
  const float v57 = fmaf(v56, 1.0f, v54);
  const float v58 = v57 - v53;
  own_stripe1[0] = v58;
  const float v59 = v58 * v58;
  const float v60 = 0.0f + v59;
  const float v61 = own_stripe0[1];
  const float v62 = fmaf(v61, 1.0f, v54);
  const float v63 = v62 - v53;
  own_stripe1[1] = v63;
  const float v64 = v63 * v63;
  const float v65 = v60 + v64;
  const float v66 = own_stripe0[2];
  const float v67 = fmaf(v66, 1.0f, v54);
  const float v68 = v67 - v53;
  own_stripe1[2] = v68;
  const float v69 = v68 * v68;
  const float v70 = v65 + v69;
  const float v71 = own_stripe0[3];
  const float v72 = fmaf(v71, 1.0f, v54);
  const float v73 = v72 - v53;
  own_stripe1[3] = v73;
  const float v74 = v73 * v73;
  const float v75 = v70 + v74;
  float v76 = v75;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v76, distance);
    v76 = v76 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v76;
  __syncthreads();
  const float v77 = shared_partial1[lane];
  float v78 = v77;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v78, distance);
    v78 = v78 + other;
  }
  const float v80 = v78 / 4096.0f;
  const float v81 = v80 + n_eps;
  const float v82 = __frsqrt_rn(v81);
  const Pack<float, 4> pack2 = load_pack<4>(p_bias + (v11 + lane * 4));
  const float v83 = pack2.item[0];
  const Pack<float, 4> pack3 = load_pack<4>(p_weight + (v11 + lane * 4));
  const float v84 = pack3.item[0];
  const float v85 = own_stripe1[0];
  const float v86 = v85 * v82;
  const float v87 = v86 * v84;
  const float v88 = v87 + v83;
  const int v90 = (int)n_y_stride0;
  const int v91 = v3 * v90;
  const int v92 = v91 + v11;
  const float v93 = pack2.item[1];
  const float v94 = pack3.item[1];
  const float v95 = own_stripe1[1];
  const float v96 = v95 * v82;
  const float v97 = v96 * v94;
  const float v98 = v97 + v93;
  const int v99 = v92 + 1;
  const float v100 = pack2.item[2];
  const float v101 = pack3.item[2];
  const float v102 = own_stripe1[2];
  const float v103 = v102 * v82;
  const float v104 = v103 * v101;
  const float v105 = v104 + v100;
  const int v106 = v92 + 2;
  const float v107 = pack2.item[3];
  const float v108 = pack3.item[3];
  const float v109 = own_stripe1[3];
  const float v110 = v109 * v82;
  const float v111 = v110 * v108;
  const float v112 = v111 + v107;
  const int v113 = v92 + 3;
  store_pack(p_y + (v92 + lane * 4), Pack<float, 4>{{v88, v98, v105, v112}});
}
