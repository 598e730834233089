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

extern "C" __global__ void __launch_bounds__(1024) rms_norm_kernel_d71501988034_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const int group = blockIdx.x;
  __shared__ float shared_partial0[32];
  float own_stripe0[4];
  const int v6 = subgroup * 128;
  const int v7 = v6 + 1;
  const int v9 = v6 + 2;
  const int v11 = v6 + 3;
  const int v13 = (int)n_x_stride0;
  const int v14 = group * v13;
  const int v15 = v14 + v6;
  const Pack<float, 4> pack0 = load_pack<4>(p_x + (v15 + lane * 4));
  const float v16 = pack0.item[0];
  own_stripe0[0] = v16;
  const float v17 = v16 * v16;
  const float v18 = 0.0f + v17;
  const int v19 = v15 + 1;
  const float v20 = pack0.item[1];
  own_stripe0[1] = v20;
  const float v21 = v20 * v20;
  const float v22 = v18 + v21;
  const int v23 = v15 + 2;
  const float v24 = pack0.item[2];
  own_stripe0[2] = v24;
  const float v25 = v24 * v24;
  const float v26 = v22 + v25;
  const int v27 = v15 + 3;
  const float v28 = pack0.item[3];
  own_stripe0[3] = v28;
  const float v29 = v28 * v28;
  const float v30 = v26 + v29;
  float v31 = v30;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v31, distance);
    v31 = v31 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v31;
  __syncthreads();
  const float v33 = shared_partial0[lane];
  float v34 = v33;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v34, distance);
    v34 = v34 + other;
  }
  const float v37 = v34 / 4096.0f;
  const float v38 = v37 + n_eps;
  const float v39 = __frsqrt_rn(v38);
  const Pack<float, 4> pack1 = load_pack<4>(p_weight + (v6 + lane * 4));
  const float v40 = pack1.item[0];
  const float v41 = own_stripe0[0];
  const float v42 = v41 * v39;
  const float v43 = v42 * v40;
  const int v45 = (int)n_y_stride0;
  const int v46 = group * v45;
  const int v47 = v46 + v6;
  const float v48 = pack1.item[1];
  const float v49 = own_stripe0[1];
  const float v50 = v49 * v39;
  const float v51 = v50 * v48;
  const int v52 = v47 + 1;
  const float v53 = pack1.item[2];
  const float v54 = own_stripe0[2];
  const float v55 = v54 * v39;
  const float v56 = v55 * v53;
  const int v57 = v47 + 2;
  const float v58 = pack1.item[3];
  const float v59 = own_stripe0[3];
  const float v60 = v59 * v39;
  const float v61 = v60 * v58;
  const int v62 = v47 + 3;
  store_pack(p_y + (v47 + lane * 4), Pack<float, 4>{{v43, v51, v56, v61}});
}
