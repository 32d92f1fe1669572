# Makefile: targets for developers and visitors; pkg install uses src/configure and src/Makefile
# SPDX-License-Identifier: GPL-3.0-or-later

SHELL := /bin/sh
.DELETE_ON_ERROR:
.PHONY: help deps build demo check check-all check-night check-gpu check-blas check-lapack check-versions check-windows check-platforms check-arm check-gui release version check-format bench tune html dist lib install install-c install-gpu dist-gpu uninstall uninstall-c run format \
        doc-tables source-digest clean

name := $(shell sed -n 's/^Name: *//p' DESCRIPTION)
version := $(shell sed -n 's/^Version: *//p' DESCRIPTION)
tarball := $(name)-$(version).tar.gz

MKOCTFILE ?= mkoctfile
export MKOCTFILE
OCTAVE ?= octave-cli --no-history
octave_here = $(OCTAVE) --no-init-file --path src --path inst --path examples
jobs := $(shell nproc 2>/dev/null || echo 2)

# An unpacked archive has no benchmarks and few tests.
archive := $(if $(wildcard tests/check.sh),,yes)
ifdef archive
ifneq ($(filter bench tune doc-tables release format source-digest check-%,$(MAKECMDGOALS)),)
$(error $(MAKECMDGOALS): this needs the repository; an archive has neither the benchmarks nor most tests)
endif
endif

help:
	@echo "$(name) $(version)"
	@echo
	@echo "  make demo          install what is missing, build, compute a band structure, draw it"
	@echo "  make check         install what is missing, build, test what minutes suffice for"
	@echo "  make check-all     everything that needs no GPU: first make check, if it has not passed yet"
	@echo "  make check-night   other Debian releases, other BLAS, LAPACK's tests, GUI, an hour of random calls,"
	@echo "                     benchmarks (hours; root, debootstrap)"
	@echo "  make check-format  check the format of the C, C++ and CUDA sources"
	@echo "  make check-gpu     the accuracy and fault tests on a GPU; writes tests/gpu-record.txt"
	@echo "  make check-lapack  LAPACK's test programs with this library behind them (Debian: apt-get download)"
	@echo "  make check-versions  test the package in Debian 11, 13 and unstable (root, debootstrap)"
	@echo "  make check-blas    right results and no spinning threads with other BLAS (Debian and Ubuntu)"
	@echo "  make check-windows  build for Windows (MinGW-w64), and run the C tests under Wine"
	@echo "  make check-platforms  build the C library for 64-bit ARM and test it under QEMU (make check-arm), and check its"
	@echo "                     sources for musl, 32 bits, macOS and FreeBSD"
	@echo "  make check-gui     progress, Ctrl-C and plots in Octave's GUI under Xvfb and in a Jupyter notebook"
	@echo "  make bench         time the functions against their peers; tables to bench/results"
	@echo "  make doc-tables    write tables of README and doc/, and README's picture, from bench/results"
	@echo "  make html          write the documents and the reference of all functions to build/html"
	@echo "  make tune          measure which GPU kernels are fastest here, and print the table"
	@echo
	@echo "  make deps          install what is missing (Debian and Ubuntu, as root)"
	@echo "  make build         build src/gpulinalg.oct and src/libgpulinalg.a"
	@echo "  make run           start Octave with the functions of this folder"
	@echo "  make dist          write $(tarball)"
	@echo "  make release       the same, if the GPU and Debian records are for this code, with its SHA-256 and the"
	@echo "                     entry of Octave's package index; URL= is the address of the repository"
	@echo "  make version       VERSION=X.Y.Z sets the version of a release, X.Y.Z-dev that of the time before it"
	@echo "  make install       install that package for Octave; make uninstall removes it"
	@echo "  make lib           build the C library alone, without Octave: src/libgpulinalg.a and .so"
	@echo "  make install-c     install it with its header and gpulinalg.pc, PREFIX=/usr/local DESTDIR=;"
	@echo "                     make uninstall-c removes it"
	@echo "  make dist-gpu      write the plugin for GPUs as an archive for users without nvcc, for all compute capabilities"
	@echo "  make install-gpu   copy the plugin to where all installed packages of this user find it"
	@echo "  make format        format the C, C++ and CUDA sources"
	@echo "  make source-digest print the sha256 of the code that tests/gpu-record.txt is for"
	@echo "  make clean         remove everything that was built"
	@echo
	@echo "  GPULINALG_CUDA=yes|no|auto   build the CUDA backend {auto: if there are nvcc and a GPU}"
	@echo "  GPULINALG_CUDA_ARCH=\"80 90\"  for these compute capabilities {those of this machine};"
	@echo "                               75-virtual is portable code of 7.5"
	@echo "  GPULINALG_MPI=yes|no|auto    build the plugin for mpirun {auto: if there is mpicc}; no: nor ranks"
	@echo "  GPULINALG_ARRAYS=yes|no      build gpuArrays {yes}"
	@echo "  GPULINALG_GPU_QUICK=1        for check-gpu: fewer sizes, no record"
	@echo "  GPULINALG_GPU_PART=1/2       for check-gpu: the first half; the record is written when 2/2 has run, too"
	@echo "  QUICK=1 NAME=table           for make -C bench: a short run, the name of the tables"
	@echo "  OCTAVE=command               the Octave to run {octave-cli --no-history}"
	@echo "  src/configure --help lists the variables of the build."

#-------------------------------------------------------------------------------
# build and run
#-------------------------------------------------------------------------------

deps:
	@sh tests/deps.sh

# pkg passes no variables of make to configure, so this rule does not either.
build:
	cd src && ./configure
	+$(MAKE) --no-print-directory -C src $(if $(filter -j%,$(MAKEFLAGS)),,-j$(jobs))

# One plugin serves every Octave with the package of this version.
user_folder = $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/gpulinalg
gpu_archive = $(name)-gpu-$(version)-$(shell uname -s | tr A-Z a-z)-$(shell uname -m).tar.xz

install-gpu:
	@[ -f src/__gpulinalg_cuda__.oct ] || { echo "install-gpu: no plugin; GPULINALG_CUDA=yes make build" >&2; exit 1; }
	mkdir -p "$(user_folder)"
	cp src/__gpulinalg_cuda__.oct "$(user_folder)/"

# To be unpacked in ~/.local/share. GPULINALG_CUDA_ARCH is as for configure.
dist-gpu: export GPULINALG_CUDA := yes
dist-gpu: export GPULINALG_CUDA_ARCH ?= 75 80 86 89 90 100 120 120-virtual
dist-gpu: build
	mkdir -p build/gpulinalg
	cp COPYING build/gpulinalg/
	strip -o build/gpulinalg/__gpulinalg_cuda__.oct src/__gpulinalg_cuda__.oct
	tar -C build --create --owner=0 --group=0 --numeric-owner gpulinalg | xz -9 -T0 >$(gpu_archive)
	@echo "$(gpu_archive): $$(wc -c <$(gpu_archive)) bytes, $$(sha256sum <$(gpu_archive) | cut -d ' ' -f 1)"

# A tree that is configured for Octave stays so.
lib:
	@[ -f src/config.mk ] || (cd src && ./configure --library)
	+$(MAKE) --no-print-directory -C src $(if $(filter -j%,$(MAKEFLAGS)),,-j$(jobs)) lib

install-c: lib
	+$(MAKE) --no-print-directory -C src install-c

uninstall-c:
	+$(MAKE) --no-print-directory -C src uninstall-c

demo:
	+@OCTAVE="$(OCTAVE)" sh tests/demo.sh

run: build
	$(octave_here) --persist

bench: build
	$(MAKE) --no-print-directory -C bench

doc-tables:
	$(OCTAVE) --no-init-file bench/tables/doc_tables.m --picture doc/times.svg

html:
	@PICTURES=yes sh tests/html.sh build/html

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
	@sh $(if $(archive),tests/archive.sh check,tests/check.sh)

check-all: deps
	@sh tests/check_all.sh

check-night: deps build
	@sh tests/deps.sh gui
	@sh tests/check_night.sh

check-gpu:
	@sh tests/gpu.sh

check-lapack:
	@[ -f src/config.mk ] || (cd src && ./configure --library)
	@sh tests/lapack/run.sh

check-versions:
	@sh tests/versions.sh

check-windows:
	@sh tests/deps.sh windows
	@sh tests/windows.sh

check-platforms check-arm:
	@sh tests/deps.sh platforms
	@sh tests/platforms.sh $(if $(filter check-arm,$@),arm)

check-gui: build
	@sh tests/deps.sh gui
	@sh tests/gui.sh

check-blas: build
	@sh tests/blas.sh

check-format:
	@sh tests/format.sh --check

format:
	sh tests/format.sh

# The digest of the code in kernels/, oct/ and src/. src/cpu/ is left out, because make check tests the CPU
# backend on every machine. Comments, blanks, help texts and %! tests do not count; untracked sources do,
# because they are built, too.
source-digest:
	@sh tests/files.sh --new src kernels oct | grep -v -e '^src/cpu/' -e '\.tst$$' \
	  | LC_ALL=C xargs awk -f tests/code_only.awk | sha256sum | cut -d ' ' -f 1

#-------------------------------------------------------------------------------
# release
#-------------------------------------------------------------------------------

# The archive has the same bytes each time: sorted files, no owner, and the time of the last commit, or
# without git the date in DESCRIPTION.
mtime = $(shell git log -1 --format=%ct 2>/dev/null || date -u -d "$$(sed -n 's/^Date: *//p' DESCRIPTION)" +%s)

release:
	@case "$(version)" in *-dev) echo "$(version) is no release: make version VERSION=X.Y.Z" >&2; exit 1 ;; esac
	@sh tests/record.sh --strict
	@sh tests/versions.sh --check --strict
	@$(MAKE) --no-print-directory dist $(if $(shell command -v pigz),pack='pigz -n -p 1 -11')
	@sh tests/release.sh index $(tarball) $(URL)

version:
	@sh tests/release.sh version "$(VERSION)"

# Files of a kind stand together, which packs better. pigz -11 packs 5 % better than gzip, and takes a minute.
pack = gzip -n -9
dist:
	@sh tests/archive.sh list | awk '{ end = $$0; sub (/.*\./, "", end); print end, $$0 }' | LC_ALL=C sort \
	  | cut -d ' ' -f 2 | LC_ALL=C tar --create --no-recursion --files-from=- --format=ustar \
	    --transform='s,^,$(name)-$(version)/,' --mtime=@$(mtime) --mode=u+rw,go=rX \
	    --owner=0 --group=0 --numeric-owner \
	  | $(pack) >$(tarball)
	@echo "$(tarball): $$(sha256sum <$(tarball) | cut -d ' ' -f 1)"

clean:
	$(MAKE) --no-print-directory -C src clean
	rm -rf build $(name)-*.tar.gz $(name)-gpu-*.tar.xz $(name)-*.tar.gz.sha256 $(name).yaml fntests.log octave-workspace graphene_bands.png patch_pca_denoise.png \
	  co2_fit.png tikhonov_deblur.png spectral_clusters.png whitening.png graphene_overlap.png wave_packet.png \
	  mppca_denoise.png register_clouds.png device_bands.png
	for dir in tests/c tests/lapack bench; do \
	  if [ -f $$dir/Makefile ]; then $(MAKE) --no-print-directory -C $$dir clean || exit 1; fi; \
	done
