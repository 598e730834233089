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
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[32];
  float own_stripe0[4];
  const int v3 = (int)group;
  const int v7 = subgroup * 128;
  const int v8 = v7 + 1;
  const int v10 = v7 + 2;
  const int v12 = v7 + 3;
  const int v14 = (int)n_x_stride0;
  const int v15 = v3 * v14;
  const int v16 = v15 + v7;
  const Pack<float, 4> pack0 = load_pack<4>(p_x + (v16 + lane * 4));
  const float v17 = pack0.item[0];
  own_stripe0[0] = v17;
  const float v18 = v17 * v17;
  const float v19 = 0.0f + v18;
  const int v20 = v16 + 1;
  const float v21 = pack0.item[1];
  own_stripe0[1] = v21;
  const float v22 = v21 * v21;
  const float v23 = v19 + v22;
  const int v24 = v16 + 2;
  const float v25 = pack0.item[2];
  own_stripe0[2] = v25;
  const float v26 = v25 * v25;
  const float v27 = v23 + v26;
  const int v28 = v16 + 3;
  const float v29 = pack0.item[3];
  own_stripe0[3] = v29;
  const float v30 = v29 * v29;
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
  const float v38 = v35 / 4096.0f;
  const float v39 = v38 + n_eps;
  const float v40 = __frsqrt_rn(v39);
  const Pack<float, 4> pack1 = load_pack<4>(p_weight + (v7 + lane * 4));
  const float v41 = pack1.item[0];
  const float v42 = own_stripe0[0];
  const float v43 = v42 * v40;
  const float v44 = v43 * v41;
  const int v46 = (int)n_y_stride0;
  const int v47 = v3 * v46;
  const int v48 = v47 + v7;
  const float v49 = pack1.item[1];
  const float v50 = own_stripe0[1];
  const float v51 = v50 * v40;
  const float v52 = v51 * v49;
  const int v53 = v48 + 1;
  const float v54 = pack1.item[2];
  const float v55 = own_stripe0[2];
  const float v56 = v55 * v40;
  const float v57 = v56 * v54;
  const int v58 = v48 + 2;
  const float v59 = pack1.item[3];
  const float v60 = own_stripe0[3];
  const float v61 = v60 * v40;
  const float v62 = v61 * v59;
  const int v63 = v48 + 3;
  store_pack(p_y + (v48 + lane * 4), Pack<float, 4>{{v44, v52, v57, v62}});
}
