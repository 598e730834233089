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

extern "C" __global__ void __launch_bounds__(32) sum_kernel_3e372b86f9b5_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int group = blockIdx.x;
  const int v7 = lane * 4;
  const bool v9 = v7 < 124;
  const int v11 = (int)n_x_stride0;
  const int v12 = group * v11;
  const Pack<float, 2> pack0 = load_pack<2>(p_x + (v12 + lane * 4));
  const float v13 = pack0.item[0];
  const float v14 = 0.0f + v13;
  const int v15 = v12 + 1;
  const float v16 = pack0.item[1];
  const float v17 = v14 + v16;
  const int v18 = v12 + 2;
  const float v19 = p_x[v18 + lane * 4];
  const float v20 = v17 + v19;
  const int v21 = v12 + 3;
  const float v22 = v9 ? p_x[v21 + lane * 4] : 0.0f;
  const float v23 = v20 + v22;
  const float v24 = v9 ? v23 : v20;
  float v25 = v24;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v25, distance);
    v25 = v25 + other;
  }
  if (lane == 0) p_y[group] = v25;
}
