# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A chart of a run's CSV (--output_format=csv), as a start for one of your own:
#
#   ib_write_bw -a --output_format=csv node7 >bw.csv
#   gnuplot -c plot_csv.gnuplot bw.csv bw.svg
#   gnuplot -c plot_csv.gnuplot lat.csv lat.svg latency_typical_usec
#   gnuplot -c plot_csv.gnuplot run.csv run.svg bandwidth_average_bytes_per_second interval_begin_seconds
#
# The third argument is the column to draw, the fourth the one of the horizontal axis: keys of docs/output.md.
if (ARGC < 2) exit error "gnuplot -c plot_csv.gnuplot FILE.csv FILE.svg [COLUMN [COLUMN OF X]]"
y = ARGC < 3 ? "bandwidth_average_bytes_per_second" : ARG3
x = ARGC < 4 ? "size_bytes" : ARG4
set terminal svg size 800,480 enhanced background "white"
set output ARG2
set termoption noenhanced
set datafile separator ","
set datafile missing ""
set grid
set xlabel x
set ylabel y
set yrange [0:*]
if (x eq "size_bytes") set logscale x 2
plot ARG1 using (column(x)):(column(y)) with linespoints pointtype 7 title ARG1
