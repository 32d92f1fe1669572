# sources.mk: the C sources of the library, and the types that they are compiled for
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Read by Makefile and ../tests/c/Makefile, which set `src` to this folder.

# A folder for each topic; a header of another folder is named from here or from ../kernels.
# The wings that config.mk leaves out are not built; nothing else includes or calls them.
absent_wings := $(if $(filter no,$(RANKS)),ranks) $(if $(filter no,$(ARRAYS)),arrays)
sources := $(filter-out $(absent_wings:%=%/%),$(patsubst $(src)/%,%,$(wildcard $(src)/*.c $(src)/*/*.c $(src)/*/*/*.c)))

# Kernels of the CPU backend are compiled once per type and instruction set, other sources with code
# for several types once per type, all others once.
types := s d c z
types_factor := d z
kernel_sources := $(filter %_kernels.c,$(sources))
typed_sources := $(filter %_types.c,$(sources))
plain_sources := $(filter-out $(kernel_sources) $(typed_sources),$(sources))

# The sources among *_types.c that are compiled for type $(1).
typed_for = $(foreach source,$(typed_sources),$(if $(filter $(1),$(or $(types_$(notdir $(source:_types.c=))),$(types))),$(source)))

# Which plugin for GPUs fits: the version, and the sum of the headers that the plugin may see.
interface_headers := $(sort $(filter-out $(src)/cpu/% $(src)/obj/%,$(wildcard $(src)/*.h $(src)/*/*.h)))
interface_define = -DGLA_INTERFACE='"$(VERSION).$(firstword $(shell cat $(interface_headers) | cksum))"'
