# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A chart of a run's CSV (--output_format=csv), as a start for one of your own, or for statistics:
#
#   ib_write_bw -a --output_format=csv node7 >bw.csv
#   Rscript plot_csv.R bw.csv bw.pdf
#   Rscript plot_csv.R lat.csv lat.pdf latency_typical_usec
#   Rscript plot_csv.R run.csv run.pdf bandwidth_average_bytes_per_second interval_begin_seconds
#
# The third argument is the column to draw, the fourth the one of the horizontal axis: keys of docs/output.md.
words <- commandArgs(trailingOnly = TRUE)
if (length(words) < 2) stop("Rscript plot_csv.R FILE.csv FILE.pdf [COLUMN [COLUMN OF X]]")
y <- if (length(words) < 3) "bandwidth_average_bytes_per_second" else words[3]
x <- if (length(words) < 4) "size_bytes" else words[4]
rows <- read.csv(words[1], check.names = FALSE)
absent <- setdiff(c(x, y), names(rows))
if (length(absent) > 0) stop("no column ", absent[1], " in ", words[1])
rows <- rows[!is.na(rows[[x]]) & !is.na(rows[[y]]), ]
pdf(words[2], width = 8, height = 5)
plot(rows[[x]], rows[[y]], type = "b", pch = 19, xlab = x, ylab = y, main = words[1],
     log = if (x == "size_bytes") "x" else "", ylim = c(0, max(rows[[y]])))
grid()
invisible(dev.off())
