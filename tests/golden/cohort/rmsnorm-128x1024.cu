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

extern "C" __global__ void __launch_bounds__(512) rms_norm_kernel_dc463a1c80ee_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const int group = blockIdx.x;
  __shared__ float shared_partial0[16];
  float own_stripe0[2];
  const int v6 = subgroup * 64;
  const int v7 = v6 + 1;
  const int v9 = (int)n_x_stride0;
  const int v10 = group * v9;
  const int v11 = v10 + v6;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v11 + lane * 2));
  const float v12 = pack0.item[0];
  own_stripe0[0] = v12;
  const float v13 = v12 * v12;
  const float v14 = 0.0f + v13;
  const int v15 = v11 + 1;
  const float v16 = pack0.item[1];
  own_stripe0[1] = v16;
  const float v17 = v16 * v16;
  const float v18 = v14 + v17;
  float v19 = v18;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v19, distance);
    v19 = v19 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v19;
  __syncthreads();
  const bool v22 = lane < 16;
  const float v23 = v22 ? shared_partial0[lane] : 0.0f;
  float v24 = v23;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v24, distance);
    v24 = v24 + other;
  }
  const float v27 = v24 / 1024.0f;
  const float v28 = v27 + n_eps;
  const float v29 = __frsqrt_rn(v28);
  const Pack<float, 2> pack1 = load_pack<2>(p_weight + (v6 + lane * 2));
  const float v30 = pack1.item[0];
  const float v31 = own_stripe0[0];
  const float v32 = v31 * v29;
  const float v33 = v32 * v30;
  const int v35 = (int)n_y_stride0;
  const int v36 = group * v35;
  const int v37 = v36 + v6;
  const float v38 = pack1.item[1];
  const float v39 = own_stripe0[1];
  const float v40 = v39 * v29;
  const float v41 = v40 * v38;
  const int v42 = v37 + 1;
  store_pack(p_y + (v37 + lane * 2), Pack<float, 2>{{v33, v41}});
}
