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
  const long long group = blockIdx.x;
  const int v2 = (int)group;
  const int v10 = (int)n_x_stride0;
  const int v11 = v2 * v10;
  float v12 = 0.0f;
  for (int i14 = 0; i14 < 8; i14 += 1) {
    const int v15 = i14 * 128;
    const int v16 = v11 + v15;
    const Pack<float, 4> pack0 = load_pack<4>(p_x + (v16 + lane * 4));
    const float v17 = pack0.item[0];
    const float v18 = v12 + v17;
    const int v19 = v16 + 1;
    const float v20 = pack0.item[1];
    const float v21 = v18 + v20;
    const int v22 = v16 + 2;
    const float v23 = pack0.item[2];
    const float v24 = v21 + v23;
    const int v25 = v16 + 3;
    const float v26 = pack0.item[3];
    const float v27 = v24 + v26;
    v12 = v27;
  }
  float v28 = v12;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v28, distance);
    v28 = v28 + other;
  }
  if (lane == 0) p_y[v2] = v28;
}
