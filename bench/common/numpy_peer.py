# numpy_peer.py: times NumPy's functions on pages for numpy_process.m, which asks through a pipe
# SPDX-License-Identifier: GPL-3.0-or-later
#
# "make FUNCTION TYPE M K N PAGES CASE" makes the data and runs once; the answer is "ready". "time" runs once;
# the answer is the number of seconds; "times" does the same, and the seconds of the processor stand behind it. The
# first line is the version of NumPy.

import sys
import time

import numpy as np


def pages_of(shape, letter, generator):
    real = np.float32 if letter in "sc" else np.float64
    x = 2 * generator.random(shape, dtype=real) - 1
    if letter in "cz":
        x = x + np.array(1j, dtype=np.complex64 if letter == "c" else np.complex128) * generator.random(shape, dtype=real)
    return x


def job_of(function, letter, m, k, n, pages, case, generator):
    x = pages_of((pages, m, k), letter, generator)
    if function == "pageinv":
        x += m * np.eye(m, dtype=x.dtype)
        return lambda: np.linalg.inv(x)
    if function == "batcheig":
        x = x + x.conj().transpose(0, 2, 1)
        return lambda: np.linalg.eigh(x)
    if function == "pageeig":
        return (lambda: np.linalg.eig(x)) if case == "vd" else lambda: np.linalg.eigvals(x)
    if function == "batchsvd":
        return lambda: np.linalg.svd(x, full_matrices=False, compute_uv=case == "usv")
    if case == "hermitian":
        return lambda: x @ x.conj().transpose(0, 2, 1) if letter in "cz" else x @ x.transpose(0, 2, 1)
    y = pages_of((k, n) if case == "shared" else (pages, k, n), letter, generator)
    if function == "pagemldivide":
        x += m * np.eye(m, dtype=x.dtype)
        return lambda: np.linalg.solve(x, y)
    return lambda: x @ y


generator = np.random.default_rng(1)
print(np.__version__, flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "make":
        job = None  # frees the last case's data
        job = job_of(words[1], words[2], *map(int, words[3:7]), words[7], generator)
        job()
        print("ready", flush=True)
    else:
        processor = time.process_time()
        begin = time.perf_counter()
        result = job()
        seconds = time.perf_counter() - begin
        processor = time.process_time() - processor
        del result
        print(f"{seconds:.9f} {processor:.9f}" if words[0] == "times" else f"{seconds:.9f}", flush=True)
