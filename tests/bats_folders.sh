# bats_folders.sh: the folders that tests write to, with BATS before 1.4 (Debian 11), which makes none
# SPDX-License-Identifier: GPL-3.0-or-later

if [ -z "${BATS_FILE_TMPDIR:-}" ]; then
  BATS_FILE_TMPDIR=$(mktemp -d "$BATS_TMPDIR/bats-XXXXXX")
  export BATS_FILE_TMPDIR
fi
if [ -z "${BATS_TEST_TMPDIR:-}" ]; then
  BATS_TEST_TMPDIR=$(mktemp -d "$BATS_FILE_TMPDIR/test-XXXXXX")
  export BATS_TEST_TMPDIR
fi
