#!/bin/sh
# gpu_methods.sh: writes the functions of inst/@gpuArray that only call on; run by src/Makefile
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: gpu_methods.sh --list      prints the names
#        gpu_methods.sh FILE.m      writes the function of that name
#
# Octave finds a method by the name of its file, so each of these functions needs one. Those with a body of their own
# are in inst/@gpuArray.

set -eu

# Kind, name, and what the file's first line says.
#   operation     one result of __gpu_array__
#   operations    as many results as are asked for
#   missing       the error of __gpu_array__ that names gather; Octave's own would say less
#   text          Octave's own function of elements that are copied to the host, with one result
#   print         the same, with results as they are asked for
methods () {
  cat <<'END'
operation blkdiag block diagonal matrices of gpuArrays
operation circshift elements moved in a circle, of a gpuArray
operation cross vector product of gpuArrays
operation mean means of gpuArrays along a dimension
operation median median of gpuArrays
operation reallog reallog of gpuArrays
operation realpow realpow of gpuArrays
operation realsqrt realsqrt of gpuArrays
operation repmat copies of a gpuArray side by side
operation sinc sin (pi x) / (pi x) of gpuArrays
operation toeplitz Toeplitz matrices of gpuArrays
operations std standard deviation of a gpuArray
operations var variance of a gpuArray
missing airy says that gpuArrays have no airy
missing besselh says that gpuArrays have no besselh
missing besseli says that gpuArrays have no besseli
missing besselj says that gpuArrays have no besselj
missing besselk says that gpuArrays have no besselk
missing bessely says that gpuArrays have no bessely
missing bitand says that gpuArrays have no bitand
missing bitor says that gpuArrays have no bitor
missing bitshift says that gpuArrays have no bitshift
missing bitxor says that gpuArrays have no bitxor
missing ellipke says that gpuArrays have no ellipke
missing expint says that gpuArrays have no expint
missing filter says that gpuArrays have no filter
missing gcd says that gpuArrays have no gcd
missing gmres says that gpuArrays have no gmres; Octave's own would take that error for a singular preconditioner
missing lcm says that gpuArrays have no lcm
missing nth_element says that gpuArrays have no nth_element
missing sqrtm says that gpuArrays have no sqrtm
text int2str int2str with gpuArrays, whose elements it copies to the host
text mat2str mat2str with gpuArrays, whose elements it copies to the host
text num2str num2str with gpuArrays, whose elements it copies to the host
print fprintf fprintf with gpuArrays, whose elements it copies to the host
print printf printf with gpuArrays, whose elements it copies to the host
END
}

# body KIND NAME: the function.
body () {
  gathered='  varargin = cellfun (@gather, varargin, "UniformOutput", false);'
  case $1 in
    operation) printf '%s\n' "function y = $2 (varargin)" "  y = __gpu_array__ (\"$2\", varargin{:});" ;;
    operations) printf '%s\n' "function varargout = $2 (varargin)" \
      "  [varargout{1:max (nargout, 1)}] = __gpu_array__ (\"$2\", varargin{:});" ;;
    missing) printf '%s\n' "function varargout = $2 (varargin)" \
      "  varargout = {__gpu_array__(\"$2\", gpuArray (0))}; # the error that names gather" ;;
    text) printf '%s\n' "function text = $2 (varargin)" "$gathered" "  text = $2 (varargin{:});" ;;
    print) printf '%s\n' "function varargout = $2 (varargin)" "$gathered" "  [varargout{1:nargout}] = $2 (varargin{:});" ;;
  esac
  echo endfunction
}

if [ "${1:-}" = --list ]; then
  methods | cut -d ' ' -f 2
  exit
fi
wanted=$(basename "$1" .m)
mkdir -p "$(dirname "$1")"
methods | while read -r kind name title; do
  [ "$name" = "$wanted" ] || continue
  printf '%s\n' "## $name.m: $title" "## SPDX-License-Identifier: GPL-3.0-or-later" "" >"$1.new"
  body "$kind" "$name" >>"$1.new"
  mv "$1.new" "$1"
done
[ -f "$1" ]
