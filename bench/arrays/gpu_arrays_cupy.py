# gpu_arrays_cupy.py: times of CuPy for the operations of bench_gpu_arrays.m
# SPDX-License-Identifier: GPL-3.0-or-later
#
# python3 bench/arrays/gpu_arrays_cupy.py [megabytes]
# Arrays have the reversed sizes, because rows are contiguous here and columns there. Prints the same lines; "arrayfun"
# is cupy.fuse.

import sys

import cupy as cp
import numpy as np

from gpu_arrays_timing import Timing


def gauss(x, y):
    return cp.exp(-(x**2 + y**2) / 2) * cp.cos(3 * x - y) + 0.5 * cp.abs(x - y)


@cp.fuse()
def fused_gauss(x, y):
    return cp.exp(-(x**2 + y**2) / 2) * cp.cos(3 * x - y) + 0.5 * cp.abs(x - y)


@cp.fuse()
def fused_sum(x, y):
    return x * y + x


def bands(k, hops):
    n = hops.shape[0]
    H = cp.asarray(hops) * cp.exp(1j * cp.asarray(k))[:, None, None]
    H = H + H.transpose(0, 2, 1).conj()
    E = cp.linalg.eigvalsh(H)
    grid = cp.linspace(-8, 8, 32)
    return cp.exp(-(((E[:, :, None] - grid) / 0.1) ** 2)).sum(axis=(0, 1)).get() / n


def denoised(patches):
    X = cp.asarray(patches)
    m = X.mean(axis=2, keepdims=True)
    X = X - m
    C = X @ X.transpose(0, 2, 1)
    V = cp.linalg.eigh(C)[1][:, :, -8:]
    return (V @ (V.transpose(0, 2, 1) @ X) + m).get()


megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 256
n = int(megabytes * 1e6 / 8 // 32000) * 32000
b = 8 * n
rng = np.random.default_rng(1)
host = rng.random(n) - 0.5
G = cp.asarray(host)
H = cp.flip(G).copy()
M = G.reshape(-1, 4000)
P = G.reshape(-1, 16, 16)
Z = G[: n // 2] + 1j * H[: n // 2]
row = M[:, :1].copy()
column = M[0].copy()
t = Timing(cp.cuda.Device().synchronize)
large, small = t.large, t.small

name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
print(f"# CuPy {cp.__version__}, {name}; seconds, GB/s; {b / 1e6:g} MB of double")
large("copy", 2 * b, lambda: G.copy())
large("G + H", 3 * b, lambda: G + H)
large("G .* 2", 2 * b, lambda: G * 2)
large("G > H", 2 * b + n, lambda: G > H)
large("Z .* Z", 2 * b, lambda: Z * Z)
large("abs (Z)", 1.5 * b, lambda: abs(Z))
large("exp (G)", 2 * b, lambda: cp.exp(G))
large("sin (G)", 2 * b, lambda: cp.sin(G))
large("M + row", 2 * b, lambda: M + row)
large("M + column", 2 * b, lambda: M + column)
large("single (G)", 1.5 * b, lambda: G.astype(cp.float32))
large("sum (G)", b, lambda: G.sum())
large("sum (M, 1)", b, lambda: M.sum(1))
large("sum (M, 2)", b, lambda: M.sum(0))
large("max (M, [], 2)", b, lambda: M.max(0))
large("sum (P, 3)", b, lambda: P.sum(0))
large("M.'", 2 * b, lambda: cp.ascontiguousarray(M.T))
large("permute (P, [3, 1, 2])", 2 * b, lambda: cp.ascontiguousarray(P.transpose(1, 2, 0)))
large("permute (P, [2, 1, 3])", 2 * b, lambda: cp.ascontiguousarray(P.transpose(0, 2, 1)))
large("cumsum (M)", 2 * b, lambda: cp.cumsum(M, axis=1))
large("sort (G), a million", 16e6, lambda: cp.sort(G[:1000000]))
large("sort (M)", 2 * b, lambda: cp.sort(M, axis=1))
large("fft (Z), 1000 a column", 2 * b, lambda: cp.fft.fft(Z.reshape(-1, 1000)))
large("fft (Z, [], 2), 16 x 16 pages", 2 * b, lambda: cp.fft.fft(Z.reshape(-1, 16, 16), axis=1))
large("gauss, operators", 3 * b, lambda: gauss(G, H))
large("gauss, arrayfun", 3 * b, lambda: fused_gauss(G, H))
large("x .* y + z, operators", 4 * b, lambda: G * H + G)
large("x .* y + z, arrayfun", 3 * b, lambda: fused_sum(G, H))
large("gpuArray", b, lambda: cp.asarray(host))
large("gather", b, lambda: cp.asnumpy(G))

g = cp.arange(16, dtype=cp.float64).reshape(4, 4)
small("empty function", lambda: g)
small("G + H", lambda: g + g)
small("G + 1", lambda: g + 1)
small("G'", lambda: cp.ascontiguousarray(g.T))
small("G(2,:)", lambda: g[:, 1].copy())
small("exp (G)", lambda: cp.exp(g))
small("sqrt (G)", lambda: cp.sqrt(g))
small("sum (G)", lambda: g.sum(1))
small("fft (G)", lambda: cp.fft.fft(g))
small("arrayfun, 14 operations", lambda: fused_gauss(g, 1.0))
small("sort (G)", lambda: cp.sort(g, axis=1))

del G, H, M, P, Z
cp.get_default_memory_pool().free_all_blocks()
k = np.linspace(0, 2 * np.pi, 100000)
hops = rng.standard_normal((16, 16))
patches = rng.standard_normal((4000, 49, 100))
t.pipeline("bands", lambda: bands(k, hops))
t.pipeline("denoising", lambda: denoised(patches))
