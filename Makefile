# Makefile: what a developer or a curious visitor runs; pkg uses src/configure and src/Makefile
# SPDX-License-Identifier: GPL-3.0-or-later

SHELL := /bin/sh
.DELETE_ON_ERROR:
.PHONY: help deps build demo check check-quick check-gpu check-versions release check-format bench tune dist install uninstall run format \
        source-digest clean

name := $(shell sed -n 's/^Name: *//p' DESCRIPTION)
version := $(shell sed -n 's/^Version: *//p' DESCRIPTION)
tarball := $(name)-$(version).tar.gz

MKOCTFILE ?= mkoctfile
export MKOCTFILE
OCTAVE ?= octave-cli --no-history
octave_here = $(OCTAVE) --no-init-file --path src --path inst --path examples
jobs := $(shell nproc 2>/dev/null || echo 2)

help:
	@echo "$(name) $(version)"
	@echo
	@echo "  make demo          install what is missing, build, compute a band structure, draw it"
	@echo "  make check         install what is missing, build, run every test"
	@echo "  make check-quick   build without CUDA, run the C tests, the %! tests, look at the format"
	@echo "  make check-gpu     the accuracy and fault tests on a GPU; writes tests/gpu-record.txt"
	@echo "  make check-versions  as root: the package in Debian 11, 13 and unstable, by debootstrap"
	@echo "  make bench         time batcheig, qr_block and gsvd_hz against their peers"
	@echo "  make tune          measure which GPU kernels serve best here, and print the table"
	@echo
	@echo "  make deps          install what is missing (Debian and Ubuntu, as root)"
	@echo "  make build         build src/gpulinalg.oct and src/libgpulinalg.a"
	@echo "  make run           start Octave with the functions of this folder"
	@echo "  make dist          write $(tarball)"
	@echo "  make release       the same, where the records of GPU and Debians are of this code"
	@echo "  make install       install that package for Octave; make uninstall removes it"
	@echo "  make format        format the C, C++ and CUDA sources"
	@echo "  make source-digest print one sha256 of what tests/gpu-record.txt is about"
	@echo "  make clean         remove everything that was built"
	@echo
	@echo "  GPULINALG_CUDA=yes|no|auto   build the CUDA backend {auto: where there are nvcc and a GPU}"
	@echo "  GPULINALG_GPU_QUICK=1        for check-gpu: fewer sizes, no record"
	@echo "  GPULINALG_CUDA_ARCH=\"80 90\"  for these compute capabilities {those of this machine};"
	@echo "                               75-virtual is portable code of 7.5, see src/configure --help"

#-------------------------------------------------------------------------------
# build and run
#-------------------------------------------------------------------------------

deps:
	@sh tests/deps.sh

# pkg hands no flags of this make over, so neither do we.
build:
	cd src && ./configure
	+$(MAKE) --no-print-directory -C src $(if $(filter -j%,$(MAKEFLAGS)),,-j$(jobs))

demo: deps
	@$(MAKE) --no-print-directory build
	$(octave_here) --eval graphene_bands

run: build
	$(octave_here) --persist

bench: build
	$(MAKE) --no-print-directory -C bench

tune: build
	$(MAKE) --no-print-directory -C bench tune

install: dist
	$(OCTAVE) --eval 'pkg install $(tarball)'

uninstall:
	$(OCTAVE) --eval 'pkg uninstall $(name)'

#-------------------------------------------------------------------------------
# check
#-------------------------------------------------------------------------------

check: deps
	@sh tests/check.sh

check-quick: deps
	@sh tests/check.sh quick

check-gpu:
	@sh tests/gpu.sh

check-versions:
	@sh tests/versions.sh

check-format:
	@sh tests/format.sh --check

format:
	sh tests/format.sh

# kernels/, oct/ and src/ but for src/cpu/: the CPU backend is tested wherever make check runs. It is of
# code alone: neither comments, blanks, help texts nor %! tests count. Sources that git does not know yet
# do: they are built, too.
source-digest:
	@sh tests/files.sh --new src kernels oct | grep -v -e '^src/cpu/' -e '\.tst$$' \
	  | LC_ALL=C xargs awk -f tests/code_only.awk | sha256sum | cut -d ' ' -f 1

#-------------------------------------------------------------------------------
# release
#-------------------------------------------------------------------------------

# The same bytes each time: files in order, the time of the last commit, no owner. Without git the
# time is the date of DESCRIPTION.
mtime = $(shell git log -1 --format=%ct 2>/dev/null || date -u -d "$$(sed -n 's/^Date: *//p' DESCRIPTION)" +%s)

release:
	@sh tests/record.sh --strict
	@sh tests/versions.sh --check --strict
	@$(MAKE) --no-print-directory dist

dist:
	@sh tests/files.sh | grep -v '^\.' \
	  | LC_ALL=C tar --create --no-recursion --files-from=- --format=ustar \
	      --transform='s,^,$(name)-$(version)/,' --mtime=@$(mtime) --mode=u+rw,go=rX \
	      --owner=0 --group=0 --numeric-owner \
	  | gzip -n -9 >$(tarball)
	@echo "$(tarball): $$(sha256sum <$(tarball) | cut -d ' ' -f 1)"

clean:
	$(MAKE) --no-print-directory -C src clean
	rm -rf build $(name)-*.tar.gz fntests.log octave-workspace graphene_bands.png patch_pca_denoise.png \
	  co2_fit.png tikhonov_deblur.png
	for dir in tests/c bench; do \
	  if [ -f $$dir/Makefile ]; then $(MAKE) --no-print-directory -C $$dir clean || exit 1; fi; \
	done
