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
  const long long v5 = group * n_x_stride0;
  const float v6 = p_x[v5];
  const long long v8 = (long long)subgroup;
  const long long v10 = v8 * 128LL;
  const long long v11 = v10 + 1LL;
  const long long v13 = v10 + 2LL;
  const long long v15 = v10 + 3LL;
  const long long v16 = v5 + v10;
  const Pack<float, 4> pack0 = load_pack<4>(p_x + v16 + lane * 4LL);
  const float v17 = pack0.item[0];
  const long long v19 = group * n_residual_stride0;
  const long long v20 = v19 + v10;
  const Pack<float, 4> pack1 = load_pack<4>(p_residual + v20 + lane * 4LL);
  const float v21 = pack1.item[0];
  const float v22 = v17 + v21;
  own_stripe0[0LL] = v22;
  const float v23 = v22 - v6;
  const float v24 = 0.0f + v23;
  const long long v25 = v16 + 1LL;
  const float v26 = pack0.item[1];
  const long long v27 = v20 + 1LL;
  const float v28 = pack1.item[1];
  const float v29 = v26 + v28;
  own_stripe0[1LL] = v29;
  const float v30 = v29 - v6;
  const float v31 = v24 + v30;
  const long long v32 = v16 + 2LL;
  const float v33 = pack0.item[2];
  const long long v34 = v20 + 2LL;
  const float v35 = pack1.item[2];
  const float v36 = v33 + v35;
  own_stripe0[2LL] = v36;
  const float v37 = v36 - v6;
  const float v38 = v31 + v37;
  const long long v39 = v16 + 3LL;
  const float v40 = pack0.item[3];
  const long long v41 = v20 + 3LL;
  const float v42 = pack1.item[3];
  const float v43 = v40 + v42;
  own_stripe0[3LL] = v43;
  const float v44 = v43 - v6;
  const float v45 = v38 + v44;
  float v46 = v45;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v46, distance);
    v46 = v46 + other;
  }
  if (lane == 0) shared_partial0[v8] = v46;
  __syncthreads();
  const long long v48 = (long long)lane;
  const float v49 = shared_partial0[v48];
  float v50 = v49;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v50, distance);
    v50 = v50 + other;
  }
  const float v52 = v50 / 4096.0f;
  const float v53 = -v6;
  const float v55 = own_stripe0[0LL];
  const float v56 = fmaf(v55, 1.0f, v53);
  const float v57 = v56 - v52;
  own_stripe1[0LL] = v57;
  const float v58 = v57 * v57;
  const float v59 = 0.0f + v58;
  const float v60 = own_stripe0[1LL];
  const float v61 = fmaf(v60, 1.0f, v53);
  const float v62 = v61 - v52;
  own_stripe1[1LL] = v62;
  const float v63 = v62 * v62;
  const float v64 = v59 + v63;
  const float v65 = own_stripe0[2LL];
  const float v66 = fmaf(v65, 1.0f, v53);
  const float v67 = v66 - v52;
  own_stripe1[2LL] = v67;
  const float v68 = v67 * v67;
  const float v69 = v64 + v68;
  const float v70 = own_stripe0[3LL];
  const float v71 = fmaf(v70, 1.0f, v53);
  const float v72 = v71 - v52;
  own_stripe1[3LL] = v72;
  const float v73 = v72 * v72;
  const float v74 = v69 + v73;
  float v75 = v74;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v75, distance);
    v75 = v75 + other;
  }
  if (lane == 0) shared_partial1[v8] = v75;
  __syncthreads();
  const float v76 = shared_partial1[v48];
  float v77 = v76;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v77, distance);
    v77 = v77 + other;
  }
  const float v79 = v77 / 4096.0f;
  const float v80 = v79 + n_eps;
  const float v81 = __frsqrt_rn(v80);
  const Pack<float, 4> pack2 = load_pack<4>(p_bias + v10 + lane * 4LL);
  const float v82 = pack2.item[0];
  const Pack<float, 4> pack3 = load_pack<4>(p_weight + v10 + lane * 4LL);
  const float v83 = pack3.item[0];
  const float v84 = own_stripe1[0LL];
  const float v85 = v84 * v81;
  const float v86 = v85 * v83;
  const float v87 = v86 + v82;
  const long long v89 = group * n_y_stride0;
  const long long v90 = v89 + v10;
  const float v91 = pack2.item[1];
  const float v92 = pack3.item[1];
  const float v93 = own_stripe1[1LL];
  const float v94 = v93 * v81;
  const float v95 = v94 * v92;
  const float v96 = v95 + v91;
  const long long v97 = v90 + 1LL;
  const float v98 = pack2.item[2];
  const float v99 = pack3.item[2];
  const float v100 = own_stripe1[2LL];
  const float v101 = v100 * v81;
  const float v102 = v101 * v99;
  const float v103 = v102 + v98;
  const long long v104 = v90 + 2LL;
  const float v105 = pack2.item[3];
  const float v106 = pack3.item[3];
  const float v107 = own_stripe1[3LL];
  const float v108 = v107 * v81;
  const float v109 = v108 * v106;
  const float v110 = v109 + v105;
  const long long v111 = v90 + 3LL;
  store_pack(p_y + v90 + lane * 4LL, Pack<float, 4>{{v87, v96, v103, v110}});
}
