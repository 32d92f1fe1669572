# bats_folders.sh: the folders that tests write to, with BATS before 1.4 (Debian 11), which makes none
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sourced by setup, and by setup_file if that needs one. What setup_file exports comes to all tests of a file, so
# each test looks whether the folder is its own.

if [ -z "${BATS_FILE_TMPDIR:-}" ]; then
  BATS_FILE_TMPDIR=$(mktemp -d "$BATS_TMPDIR/bats-XXXXXX")
  export BATS_FILE_TMPDIR
fi
if [ -z "${BATS_TEST_TMPDIR:-}" ] || [ "${folder_of_test-${BATS_TEST_NAME:-}}" != "${BATS_TEST_NAME:-}" ]; then
  BATS_TEST_TMPDIR=$(mktemp -d "$BATS_FILE_TMPDIR/test-XXXXXX")
  folder_of_test=${BATS_TEST_NAME:-}
  export BATS_TEST_TMPDIR folder_of_test
fi
