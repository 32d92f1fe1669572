# gpu_arrays_peer.py: times of PyTorch for the operations of bench_gpu_arrays.m
# SPDX-License-Identifier: GPL-3.0-or-later
#
# python3 bench/arrays/gpu_arrays_peer.py [megabytes]
# Arrays have the reversed sizes, because rows are contiguous here and columns there. Prints the same lines.

import sys

import torch

from gpu_arrays_timing import Timing


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


megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 256
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
