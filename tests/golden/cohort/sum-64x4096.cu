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

extern "C" __global__ void __launch_bounds__(1024) sum_kernel_3aed11b7522e_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const int group = blockIdx.x;
  __shared__ float shared_partial0[32];
  const int v6 = subgroup * 128;
  const int v10 = (int)n_x_stride0;
  const int v11 = group * v10;
  const int v12 = v11 + v6;
  const Pack<float, 4> pack0 = load_pack<4>(p_x + (v12 + lane * 4));
  const float v13 = pack0.item[0];
  const float v14 = 0.0f + v13;
  const int v15 = v12 + 1;
  const float v16 = pack0.item[1];
  const float v17 = v14 + v16;
  const int v18 = v12 + 2;
  const float v19 = pack0.item[2];
  const float v20 = v17 + v19;
  const int v21 = v12 + 3;
  const float v22 = pack0.item[3];
  const float v23 = v20 + v22;
  float v24 = v23;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v24, distance);
    v24 = v24 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v24;
  __syncthreads();
  const float v26 = shared_partial0[lane];
  float v27 = v26;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v27, distance);
    v27 = v27 + other;
  }
  const bool v28 = subgroup == 0;
  if (v28) {
    if (lane == 0) p_y[group] = v27;
  }
}
