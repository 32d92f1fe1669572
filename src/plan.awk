# plan.awk: reads what make would print; writes how many lines of the log these are and how long they take, roughly
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The seconds of an object are means of one core of a 2.5 GHz Xeon. -v jobs=N: so many at a time.

/^echo "\[/ { count++ }
/^echo "\[.* CC / { work += /_kernels_/ ? 5 : 0.4 }
/^echo "\[.* OCT / { work += /\.gch/ ? 4 : 1 }
/^echo "\[.* NVCC / { work += 10 }
/^echo "\[.* LINK / { work += 1 }
END {
  minutes = work / jobs / 60
  time = minutes < 1 ? "less than a minute" : minutes < 1.5 ? "about a minute" : sprintf ("about %.0f minutes", minutes)
  printf "%d %s\n", count, time
}
