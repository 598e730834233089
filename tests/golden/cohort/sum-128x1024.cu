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

extern "C" __global__ void __launch_bounds__(32) sum_kernel_3cad2738b4a7_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int group = blockIdx.x;
  const int v9 = (int)n_x_stride0;
  const int v10 = group * v9;
  float v11 = 0.0f;
  for (int i13 = 0; i13 < 8; i13 += 1) {
    const int v14 = i13 * 128;
    const int v15 = v10 + v14;
    const Pack<float, 4> pack0 = load_pack<4>(p_x + (v15 + lane * 4));
    const float v16 = pack0.item[0];
    const float v17 = v11 + v16;
    const int v18 = v15 + 1;
    const float v19 = pack0.item[1];
    const float v20 = v17 + v19;
    const int v21 = v15 + 2;
    const float v22 = pack0.item[2];
    const float v23 = v20 + v22;
    const int v24 = v15 + 3;
    const float v25 = pack0.item[3];
    const float v26 = v23 + v25;
    v11 = v26;
  }
  float v27 = v11;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v27, distance);
    v27 = v27 + other;
  }
  if (lane == 0) p_y[group] = v27;
}
