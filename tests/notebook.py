# notebook.py: cells in a Jupyter kernel of Octave, and what a notebook gets of them; run by tests/gui.sh
# SPDX-License-Identifier: GPL-3.0-or-later

import os
import shutil
import sys
import time
from importlib.metadata import version

from jupyter_client.manager import KernelManager

passed = failed = skipped = 0
timeout = 120  # seconds


class Cell:
    """Runs a cell. If stop is a line, the kernel is interrupted 1.5 s after the cell has printed it."""

    def __init__(self, code, stop=None):
        self.text = ""  # of both streams
        self.images = {}  # type: data
        self.delay = None  # from the interrupt to the end of the cell
        sent = None
        call = client.execute(code)
        while True:
            message = client.get_iopub_msg(timeout=timeout)
            if message["parent_header"].get("msg_id") != call:
                continue
            content = message["content"]
            if message["msg_type"] == "status" and content["execution_state"] == "idle":
                break
            if message["msg_type"] == "stream":
                self.text += content["text"]
            elif message["msg_type"] == "display_data":
                self.images.update(content["data"])
            if stop and self.shows(stop):
                stop = None
                time.sleep(1.5)
                sent = time.time()
                kernel.interrupt_kernel()
        if sent:
            self.delay = time.time() - sent
        while client.get_shell_msg(timeout=timeout)["parent_header"].get("msg_id") != call:
            pass

    def lines(self):
        """What is seen: behind a carriage return a line is written anew."""
        return [line.rstrip("\r").split("\r")[-1].rstrip() for line in self.text.split("\n")]

    def shows(self, line):
        return line in self.lines()


def check(name, good, cell):
    global passed, failed
    if good:
        passed += 1
        print("ok      notebook: " + name)
    else:
        failed += 1
        print(f"FAILED  notebook: {name}\n{cell.text}{list(cell.images)} {cell.delay}")


def skip(name):
    global skipped
    skipped += 1
    print("skipped: notebook: " + name)


def interrupted(name, setup, call):
    cell = Cell(f'{setup}; disp ("begins"); {call}; disp ("whole")', stop="begins")
    good = cell.delay is not None and cell.delay < 5 and not cell.shows("whole") and cell.shows("begins")
    check(f"an interrupt ends {name}", good, cell)
    if good:
        print(f"  the interrupt ended the cell after {cell.delay:.3f} s")
    cell = Cell("disp (batcheig ([2, 1; 1, 2])')")
    check(f"the next cell is right after {name}", cell.shows("   1   3"), cell)


def runs(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def has_curves(cell):
    return "<path" in cell.images.get("image/svg+xml", "")


def tests():
    cell = Cell("d = batcheig (cat (3, [2, 1; 1, 2], [5, 0; 0, 7]))")
    check("results are printed", [line.strip() for line in cell.lines() if line]
          == ["d =", "ans(:,:,1) =", "1", "3", "ans(:,:,2) =", "5", "7"], cell)

    cell = Cell('A = rand (300, 300, 60); A += permute (A, [2, 1, 3]); d = batcheig (A, "progress", true);')
    shown = [line for line in cell.lines() if line]
    check("progress is one line that ends with 100 %", shown == ["batcheig: 60 of 60 pages, 100 %"], cell)
    cell = Cell("d = batcheig (A);")
    check("no progress without the option", cell.text.strip() == "", cell)

    cell = Cell("batcheig (ones (2, 3))")
    check("an error has its message", cell.shows("error: batcheig: the pages of A must be square, but A is 2x3"), cell)
    cell = Cell("disp (nthargout (2, @lasterr))")
    check("an error has its id", cell.shows("gpulinalg:bad-shape"), cell)

    interrupted("batcheig of one page of order 4000", "B = rand (4000); B += transpose (B)", "[V, D] = batcheig (B)")
    interrupted("batches with progress", "V = []", 'for k = 1:1000, [V, D] = batcheig (A, "progress", true); end')

    cell = Cell("g = gpuArray (magic (4)), disp (gather (sum (g))), disp (class (g))")
    check("a gpuArray without a GPU", cell.shows("g =") and cell.shows("   16    2    3   13")
          and cell.shows("   34   34   34   34") and cell.shows("gpuArray"), cell)
    cell = Cell("gpulinalg_info ()")
    check("gpulinalg_info says where work runs", any(line.startswith("  runs on: ") for line in cell.lines()), cell)

    cell = Cell("%plot -f svg\nplot (squeeze (batcheig (A(1:20,1:20,:))))")
    check("a plot is an image (SVG)", has_curves(cell), cell)
    cell = Cell("%plot -f svg\ndemo (\"qr_block\", 1)")
    check("the demo of qr_block is an image (SVG)", has_curves(cell) and "trend: 0.0" in cell.text, cell)
    if shutil.which("gs"):
        cell = Cell("%plot -f png\nplot (squeeze (batcheig (A(1:20,1:20,:))))")
        check("a plot is an image (PNG)", len(cell.images.get("image/png", "")) > 2000, cell)
    else:
        skip("there is no gs for plots as PNG (Debian: ghostscript)")


print("octave_kernel", version("octave_kernel"), "jupyter_client", version("jupyter_client"))
kernel = KernelManager(kernel_name="octave")
kernel.start_kernel()
try:
    client = kernel.client()
    client.start_channels()
    client.wait_for_ready(timeout=timeout)
    tests()
    # Arrays and plans are alive at the end.
    cell = Cell("p = spmv_plan (speye (4)); disp (getpid ())")
    octave = int(cell.text)
    kernel.shutdown_kernel()
    for _ in range(100):
        if not runs(octave):
            break
        time.sleep(0.1)
    check("Octave ends with the kernel", not runs(octave), cell)
finally:
    kernel.shutdown_kernel(now=True)
print(f"notebook: {passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed > 0)
