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
  const long long v9 = group * n_x_stride0;
  float v10 = 0.0f;
  for (long long i12 = 0LL; i12 < 8LL; i12 += 1LL) {
    const long long v13 = i12 * 128LL;
    const long long v14 = v9 + v13;
    const Pack<float, 4> pack0 = load_pack<4>(p_x + v14 + lane * 4LL);
    const float v15 = pack0.item[0];
    const float v16 = v10 + v15;
    const long long v17 = v14 + 1LL;
    const float v18 = pack0.item[1];
    const float v19 = v16 + v18;
    const long long v20 = v14 + 2LL;
    const float v21 = pack0.item[2];
    const float v22 = v19 + v21;
    const long long v23 = v14 + 3LL;
    const float v24 = pack0.item[3];
    const float v25 = v22 + v24;
    v10 = v25;
  }
  float v26 = v10;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v26, distance);
    v26 = v26 + other;
  }
  if (lane == 0) p_y[group] = v26;
}
