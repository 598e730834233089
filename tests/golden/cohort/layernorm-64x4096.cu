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

extern "C" __global__ void __launch_bounds__(1024) layer_norm_kernel_66f96c68e4a1_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
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
  own_stripe0[0LL] = v17;
  const float v18 = v17 - v6;
  const float v19 = 0.0f + v18;
  const long long v20 = v16 + 1LL;
  const float v21 = pack0.item[1];
  own_stripe0[1LL] = v21;
  const float v22 = v21 - v6;
  const float v23 = v19 + v22;
  const long long v24 = v16 + 2LL;
  const float v25 = pack0.item[2];
  own_stripe0[2LL] = v25;
  const float v26 = v25 - v6;
  const float v27 = v23 + v26;
  const long long v28 = v16 + 3LL;
  const float v29 = pack0.item[3];
  own_stripe0[3LL] = v29;
  const float v30 = v29 - v6;
  const float v31 = v27 + v30;
  float v32 = v31;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v32, distance);
    v32 = v32 + other;
  }
  if (lane == 0) shared_partial0[v8] = v32;
  __syncthreads();
  const long long v34 = (long long)lane;
  const float v35 = shared_partial0[v34];
  float v36 = v35;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v36, distance);
    v36 = v36 + other;
  }
  const float v38 = v36 / 4096.0f;
  const float v39 = -v6;
  const float v41 = own_stripe0[0LL];
  const float v42 = fmaf(v41, 1.0f, v39);
  const float v43 = v42 - v38;
  own_stripe1[0LL] = v43;
  const float v44 = v43 * v43;
  const float v45 = 0.0f + v44;
  const float v46 = own_stripe0[1LL];
  const float v47 = fmaf(v46, 1.0f, v39);
  const float v48 = v47 - v38;
  own_stripe1[1LL] = v48;
  const float v49 = v48 * v48;
  const float v50 = v45 + v49;
  const float v51 = own_stripe0[2LL];
  const float v52 = fmaf(v51, 1.0f, v39);
  const float v53 = v52 - v38;
  own_stripe1[2LL] = v53;
  const float v54 = v53 * v53;
  const float v55 = v50 + v54;
  const float v56 = own_stripe0[3LL];
  const float v57 = fmaf(v56, 1.0f, v39);
  const float v58 = v57 - v38;
  own_stripe1[3LL] = v58;
  const float v59 = v58 * v58;
  const float v60 = v55 + v59;
  float v61 = v60;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v61, distance);
    v61 = v61 + other;
  }
  if (lane == 0) shared_partial1[v8] = v61;
  __syncthreads();
  const float v62 = shared_partial1[v34];
  float v63 = v62;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v63, distance);
    v63 = v63 + other;
  }
  const float v65 = v63 / 4096.0f;
  const float v66 = v65 + n_eps;
  const float v67 = __frsqrt_rn(v66);
  const Pack<float, 4> pack1 = load_pack<4>(p_bias + v10 + lane * 4LL);
  const float v68 = pack1.item[0];
  const Pack<float, 4> pack2 = load_pack<4>(p_weight + v10 + lane * 4LL);
  const float v69 = pack2.item[0];
  const float v70 = own_stripe1[0LL];
  const float v71 = v70 * v67;
  const float v72 = v71 * v69;
  const float v73 = v72 + v68;
  const long long v75 = group * n_y_stride0;
  const long long v76 = v75 + v10;
  const float v77 = pack1.item[1];
  const float v78 = pack2.item[1];
  const float v79 = own_stripe1[1LL];
  const float v80 = v79 * v67;
  const float v81 = v80 * v78;
  const float v82 = v81 + v77;
  const long long v83 = v76 + 1LL;
  const float v84 = pack1.item[2];
  const float v85 = pack2.item[2];
  const float v86 = own_stripe1[2LL];
  const float v87 = v86 * v67;
  const float v88 = v87 * v85;
  const float v89 = v88 + v84;
  const long long v90 = v76 + 2LL;
  const float v91 = pack1.item[3];
  const float v92 = pack2.item[3];
  const float v93 = own_stripe1[3LL];
  const float v94 = v93 * v67;
  const float v95 = v94 * v92;
  const float v96 = v95 + v91;
  const long long v97 = v76 + 3LL;
  store_pack(p_y + v76 + lane * 4LL, Pack<float, 4>{{v73, v82, v89, v96}});
}
