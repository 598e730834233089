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
  const int group = blockIdx.x;
  __shared__ float shared_partial0[32];
  __shared__ float shared_partial1[32];
  float own_stripe0[4];
  float own_stripe1[4];
  const int v5 = (int)n_x_stride0;
  const int v6 = group * v5;
  const float v7 = p_x[v6];
  const int v10 = subgroup * 128;
  const int v11 = v10 + 1;
  const int v13 = v10 + 2;
  const int v15 = v10 + 3;
  const int v16 = v6 + v10;
  const Pack<float, 4> pack0 = load_pack<4>(p_x + (v16 + lane * 4));
  const float v17 = pack0.item[0];
  own_stripe0[0] = v17;
  const float v18 = v17 - v7;
  const float v19 = 0.0f + v18;
  const int v20 = v16 + 1;
  const float v21 = pack0.item[1];
  own_stripe0[1] = v21;
  const float v22 = v21 - v7;
  const float v23 = v19 + v22;
  const int v24 = v16 + 2;
  const float v25 = pack0.item[2];
  own_stripe0[2] = v25;
  const float v26 = v25 - v7;
  const float v27 = v23 + v26;
  const int v28 = v16 + 3;
  const float v29 = pack0.item[3];
  own_stripe0[3] = v29;
  const float v30 = v29 - v7;
  const float v31 = v27 + v30;
  float v32 = v31;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v32, distance);
    v32 = v32 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v32;
  __syncthreads();
  const float v34 = shared_partial0[lane];
  float v35 = v34;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v35, distance);
    v35 = v35 + other;
  }
  const float v37 = v35 / 4096.0f;
  const float v38 = -v7;
  const float v40 = own_stripe0[0];
  const float v41 = fmaf(v40, 1.0f, v38);
  const float v42 = v41 - v37;
  own_stripe1[0] = v42;
  const float v43 = v42 * v42;
  const float v44 = 0.0f + v43;
  const float v45 = own_stripe0[1];
  const float v46 = fmaf(v45, 1.0f, v38);
  const float v47 = v46 - v37;
  own_stripe1[1] = v47;
  const float v48 = v47 * v47;
  const float v49 = v44 + v48;
  const float v50 = own_stripe0[2];
  const float v51 = fmaf(v50, 1.0f, v38);
  const float v52 = v51 - v37;
  own_stripe1[2] = v52;
  const float v53 = v52 * v52;
  const float v54 = v49 + v53;
  const float v55 = own_stripe0[3];
  const float v56 = fmaf(v55, 1.0f, v38);
  const float v57 = v56 - v37;
  own_stripe1[3] = v57;
  const float v58 = v57 * v57;
  const float v59 = v54 + v58;
  float v60 = v59;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v60, distance);
    v60 = v60 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v60;
  __syncthreads();
  const float v61 = shared_partial1[lane];
  float v62 = v61;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v62, distance);
    v62 = v62 + other;
  }
  const float v64 = v62 / 4096.0f;
  const float v65 = v64 + n_eps;
  const float v66 = __frsqrt_rn(v65);
  const Pack<float, 4> pack1 = load_pack<4>(p_bias + (v10 + lane * 4));
  const float v67 = pack1.item[0];
  const Pack<float, 4> pack2 = load_pack<4>(p_weight + (v10 + lane * 4));
  const float v68 = pack2.item[0];
  const float v69 = own_stripe1[0];
  const float v70 = v69 * v66;
  const float v71 = v70 * v68;
  const float v72 = v71 + v67;
  const int v74 = (int)n_y_stride0;
  const int v75 = group * v74;
  const int v76 = v75 + v10;
  const float v77 = pack1.item[1];
  const float v78 = pack2.item[1];
  const float v79 = own_stripe1[1];
  const float v80 = v79 * v66;
  const float v81 = v80 * v78;
  const float v82 = v81 + v77;
  const int v83 = v76 + 1;
  const float v84 = pack1.item[2];
  const float v85 = pack2.item[2];
  const float v86 = own_stripe1[2];
  const float v87 = v86 * v66;
  const float v88 = v87 * v85;
  const float v89 = v88 + v84;
  const int v90 = v76 + 2;
  const float v91 = pack1.item[3];
  const float v92 = pack2.item[3];
  const float v93 = own_stripe1[3];
  const float v94 = v93 * v66;
  const float v95 = v94 * v92;
  const float v96 = v95 + v91;
  const int v97 = v76 + 3;
  store_pack(p_y + (v76 + lane * 4), Pack<float, 4>{{v72, v82, v89, v96}});
}
