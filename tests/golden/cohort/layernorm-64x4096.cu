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
  own_stripe0[0] = v18;
  const float v19 = v18 - v8;
  const float v20 = 0.0f + v19;
  const int v21 = v17 + 1;
  const float v22 = pack0.item[1];
  own_stripe0[1] = v22;
  const float v23 = v22 - v8;
  const float v24 = v20 + v23;
  const int v25 = v17 + 2;
  const float v26 = pack0.item[2];
  own_stripe0[2] = v26;
  const float v27 = v26 - v8;
  const float v28 = v24 + v27;
  const int v29 = v17 + 3;
  const float v30 = pack0.item[3];
  own_stripe0[3] = v30;
  const float v31 = v30 - v8;
  const float v32 = v28 + v31;
  float v33 = v32;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v33, distance);
    v33 = v33 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v33;
  __syncthreads();
  const float v35 = shared_partial0[lane];
  float v36 = v35;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v36, distance);
    v36 = v36 + other;
  }
  const float v38 = v36 / 4096.0f;
  const float v39 = -v8;
  const float v41 = own_stripe0[0];
  const float v42 = fmaf(v41, 1.0f, v39);
  const float v43 = v42 - v38;
  own_stripe1[0] = v43;
  const float v44 = v43 * v43;
  const float v45 = 0.0f + v44;
  const float v46 = own_stripe0[1];
  const float v47 = fmaf(v46, 1.0f, v39);
  const float v48 = v47 - v38;
  own_stripe1[1] = v48;
  const float v49 = v48 * v48;
  const float v50 = v45 + v49;
  const float v51 = own_stripe0[2];
  const float v52 = fmaf(v51, 1.0f, v39);
  const float v53 = v52 - v38;
  own_stripe1[2] = v53;
  const float v54 = v53 * v53;
  const float v55 = v50 + v54;
  const float v56 = own_stripe0[3];
  const float v57 = fmaf(v56, 1.0f, v39);
  const float v58 = v57 - v38;
  own_stripe1[3] = v58;
  const float v59 = v58 * v58;
  const float v60 = v55 + v59;
  float v61 = v60;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v61, distance);
    v61 = v61 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v61;
  __syncthreads();
  const float v62 = shared_partial1[lane];
  float v63 = v62;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v63, distance);
    v63 = v63 + other;
  }
  const float v65 = v63 / 4096.0f;
  const float v66 = v65 + n_eps;
  const float v67 = __frsqrt_rn(v66);
  const Pack<float, 4> pack1 = load_pack<4>(p_bias + (v11 + lane * 4));
  const float v68 = pack1.item[0];
  const Pack<float, 4> pack2 = load_pack<4>(p_weight + (v11 + lane * 4));
  const float v69 = pack2.item[0];
  const float v70 = own_stripe1[0];
  const float v71 = v70 * v67;
  const float v72 = v71 * v69;
  const float v73 = v72 + v68;
  const int v75 = (int)n_y_stride0;
  const int v76 = v3 * v75;
  const int v77 = v76 + v11;
  const float v78 = pack1.item[1];
  const float v79 = pack2.item[1];
  const float v80 = own_stripe1[1];
  const float v81 = v80 * v67;
  const float v82 = v81 * v79;
  const float v83 = v82 + v78;
  const int v84 = v77 + 1;
  const float v85 = pack1.item[2];
  const float v86 = pack2.item[2];
  const float v87 = own_stripe1[2];
  const float v88 = v87 * v67;
  const float v89 = v88 * v86;
  const float v90 = v89 + v85;
  const int v91 = v77 + 2;
  const float v92 = pack1.item[3];
  const float v93 = pack2.item[3];
  const float v94 = own_stripe1[3];
  const float v95 = v94 * v67;
  const float v96 = v95 * v93;
  const float v97 = v96 + v92;
  const int v98 = v77 + 3;
  store_pack(p_y + (v77 + lane * 4), Pack<float, 4>{{v73, v83, v90, v97}});
}
