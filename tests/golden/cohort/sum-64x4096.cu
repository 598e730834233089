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
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[32];
  const int v3 = (int)group;
  const int v7 = subgroup * 128;
  const int v11 = (int)n_x_stride0;
  const int v12 = v3 * v11;
  const int v13 = v12 + v7;
  const Pack<float, 4> pack0 = load_pack<4>(p_x + (v13 + lane * 4));
  const float v14 = pack0.item[0];
  const float v15 = 0.0f + v14;
  const int v16 = v13 + 1;
  const float v17 = pack0.item[1];
  const float v18 = v15 + v17;
  const int v19 = v13 + 2;
  const float v20 = pack0.item[2];
  const float v21 = v18 + v20;
  const int v22 = v13 + 3;
  const float v23 = pack0.item[3];
  const float v24 = v21 + v23;
  float v25 = v24;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v25, distance);
    v25 = v25 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v25;
  __syncthreads();
  const float v27 = shared_partial0[lane];
  float v28 = v27;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v28, distance);
    v28 = v28 + other;
  }
  const bool v29 = subgroup == 0;
  if (v29) {
    if (lane == 0) p_y[v3] = v28;
  }
}
