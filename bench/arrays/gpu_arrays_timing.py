# gpu_arrays_timing.py: times and lines of gpu_arrays_peer.py and gpu_arrays_cupy.py
# SPDX-License-Identifier: GPL-3.0-or-later
#
# wait () returns when the GPU has done all. Lines are those of bench_gpu_arrays.m.

import time


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
