#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Which node, which link is slow? sbatch --nodes=16 slurm_matrix.sh quick ib_write_lat
#SBATCH --ntasks-per-node=1 --exclusive --time=00:30:00
(($#)) || set -- ib_write_bw -D 2
srun --cpu-bind=none perftest matrix --out_json_file="matrix.$SLURM_JOB_ID.json" "$@"
