# gpu_arrays_peer.py: times of PyTorch or of CuPy for the operations of bench_gpu_arrays.m
# SPDX-License-Identifier: GPL-3.0-or-later
#
# python3 bench/arrays/gpu_arrays_peer.py torch|cupy [megabytes]
# Arrays have the reversed sizes, because rows are contiguous here and columns there. Prints the same lines; "arrayfun"
# is cupy.fuse.

import sys
import time


# wait () returns when the GPU has done all. Lines are those of bench_gpu_arrays.m.
def seconds_of(f, wait, count):
    f()
    wait()
    times = []
    for _ in range(count):
        start = time.perf_counter()
        f()
        wait()
        times.append(time.perf_counter() - start)
    return sorted(times)[count // 2]


class Timing:
    def __init__(self, wait):
        self.wait = wait
        self.empty = 0

    def large(self, name, bytes_, f):
        seconds = seconds_of(f, self.wait, 7)
        print(f"large\t{name}\t{seconds:.4g}\t{bytes_ / seconds / 1e9:.4g}", flush=True)

    def small(self, name, f):
        f()
        us = float("inf")
        for _ in range(5):
            self.wait()
            start = time.perf_counter()
            for _ in range(1000):
                f()
            self.wait()
            us = min(us, (time.perf_counter() - start) * 1e3)
        print(f"small\t{name}\t{us:.4g}", flush=True)

    def pipeline(self, name, f):
        print(f"pipeline\t{name}\t{seconds_of(f, self.wait, 3):.4g}", flush=True)


def with_torch(megabytes):
    import torch

    def gauss(x, y):
        return torch.exp(-(x**2 + y**2) / 2) * torch.cos(3 * x - y) + 0.5 * torch.abs(x - y)

    def bands(k, hops):
        n = hops.shape[0]
        H = hops.cuda() * torch.exp(1j * k.cuda())[:, None, None]
        H = H + H.mH
        E = torch.cat([torch.linalg.eigvalsh(part) for part in H.split(10000)])  # of all it asks for 117 GiB
        grid = torch.linspace(-8, 8, 32, dtype=torch.float64, device="cuda")
        return torch.exp(-(((E[:, :, None] - grid) / 0.1) ** 2)).sum((0, 1)).cpu() / n

    def denoised(patches):
        X = patches.cuda()
        m = X.mean(2, keepdim=True)
        X = X - m
        V = torch.linalg.eigh(X @ X.mT)[1][:, :, -8:]
        return (V @ (V.mT @ X) + m).cpu()

    n = int(megabytes * 1e6 / 8 // 32000) * 32000
    b = 8 * n
    torch.manual_seed(1)
    host = torch.rand(n, dtype=torch.float64) - 0.5
    G = host.cuda()
    H = G.flip(0)
    M = G.reshape(-1, 4000)
    P = G.reshape(-1, 16, 16)
    Z = torch.complex(G[: n // 2], H[: n // 2])
    row = M[:, :1].contiguous()
    column = M[0].contiguous()
    t = Timing(torch.cuda.synchronize)
    large, small = t.large, t.small

    print(f"# PyTorch {torch.__version__}, {torch.cuda.get_device_name()}; seconds, GB/s; {b / 1e6:g} MB of double")
    large("copy", 2 * b, lambda: G.clone())
    large("G + H", 3 * b, lambda: G + H)
    large("G .* 2", 2 * b, lambda: G * 2)
    large("G > H", 2 * b + n, lambda: G > H)
    large("Z .* Z", 2 * b, lambda: Z * Z)
    large("abs (Z)", 1.5 * b, lambda: Z.abs())
    large("exp (G)", 2 * b, lambda: G.exp())
    large("sin (G)", 2 * b, lambda: G.sin())
    large("M + row", 2 * b, lambda: M + row)
    large("M + column", 2 * b, lambda: M + column)
    large("single (G)", 1.5 * b, lambda: G.float())
    large("sum (G)", b, lambda: G.sum())
    large("sum (M, 1)", b, lambda: M.sum(1))
    large("sum (M, 2)", b, lambda: M.sum(0))
    large("max (M, [], 2)", b, lambda: M.max(0))
    large("sum (P, 3)", b, lambda: P.sum(0))
    large("M.'", 2 * b, lambda: M.T.contiguous())
    large("permute (P, [3, 1, 2])", 2 * b, lambda: P.permute(1, 2, 0).contiguous())
    large("permute (P, [2, 1, 3])", 2 * b, lambda: P.permute(0, 2, 1).contiguous())
    large("cumsum (M)", 2 * b, lambda: M.cumsum(1))
    large("sort (G), a million", 16e6, lambda: G[:1000000].sort())
    large("sort (M)", 2 * b, lambda: M.sort(1))
    large("fft (Z), 1000 a column", 2 * b, lambda: torch.fft.fft(Z.reshape(-1, 1000)))
    large("fft (Z, [], 2), 16 x 16 pages", 2 * b, lambda: torch.fft.fft(Z.reshape(-1, 16, 16), dim=1))
    large("gauss, operators", 3 * b, lambda: gauss(G, H))
    large("x .* y + z, operators", 4 * b, lambda: G * H + G)
    large("gpuArray", b, lambda: host.cuda())
    large("gather", b, lambda: G.cpu())

    g = torch.arange(16, dtype=torch.float64, device="cuda").reshape(4, 4)
    small("empty function", lambda: g)
    small("G + H", lambda: g + g)
    small("G + 1", lambda: g + 1)
    small("G'", lambda: g.T.contiguous())
    small("G(2,:)", lambda: g[:, 1].contiguous())
    small("exp (G)", lambda: g.exp())
    small("sqrt (G)", lambda: g.sqrt())
    small("sum (G)", lambda: g.sum(0))
    small("fft (G)", lambda: torch.fft.fft(g))
    small("sort (G)", lambda: g.sort())

    del G, H, M, P, Z
    torch.cuda.empty_cache()
    k = torch.linspace(0, 2 * torch.pi, 100000, dtype=torch.float64)
    hops = torch.randn(16, 16, dtype=torch.float64)
    patches = torch.randn(4000, 49, 100, dtype=torch.float64)
    t.pipeline("bands", lambda: bands(k, hops))
    t.pipeline("denoising", lambda: denoised(patches))


def with_cupy(megabytes):
    import cupy as cp
    import numpy as np

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


{"torch": with_torch, "cupy": with_cupy}[sys.argv[1]](float(sys.argv[2]) if len(sys.argv) > 2 else 256)
