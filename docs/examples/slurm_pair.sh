#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# An ib_* program between two nodes: sbatch slurm_pair.sh ib_read_lat -a
#SBATCH --nodes=2 --ntasks-per-node=1 --exclusive --time=00:15:00
(($#)) || set -- ib_write_bw -D 10 --report_gbits
mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
step=(srun --nodes=1 --ntasks=1 --overlap --cpu-bind=none)
"${step[@]}" --nodelist="${nodes[0]}" "$@" >/dev/null &
"${step[@]}" --nodelist="${nodes[1]}" "$@" --retry=60 --out_json_file="perftest.$SLURM_JOB_ID.json" "${nodes[0]}"
status=$?
((status == 0)) || kill $! 2>/dev/null # it may have ended
wait
exit "$status"
