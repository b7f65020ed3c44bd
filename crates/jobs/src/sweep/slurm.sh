#!/bin/bash
# Sweep of {{NAME}}: {{RUNS}} runs as an array job, and a job that makes their table. Written by bdem sweep --emit slurm.
#
#   bash FILE [OPTIONS OF SBATCH]      submits it, such as: bash FILE --time=08:00:00 --partition=long
#
# Submitted again it goes on: complete runs are left as they are. Paths are from the folder in which it is submitted.
#SBATCH --job-name={{NAME}}
#SBATCH --cpus-per-task={{THREADS}}
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@60
#SBATCH --requeue
#SBATCH --open-mode=append

bdem=${BDEM:-bdem}
output={{OUTPUT}}

# values of a run, and its folder
simulate() {
    case $1 in
{{CASES}}    esac
    exec "$bdem" simulate {{SCENE}}{{DEVICE}} --resume --threads "${SLURM_CPUS_PER_TASK:-1}" "$@"
}

case ${1:-} in
task)
    # a minute before the time is up: write a checkpoint, and queue again
    trap 'again=yes; kill -TERM "$run"' USR1
    # preempted, requeued or cancelled: the run has had its SIGTERM from Slurm, which decides on the rest
    trap 'ended=yes' TERM
    worst=0
    for ((number = SLURM_ARRAY_TASK_ID; number < {{RUNS}}; number += {{TASKS}})); do
        simulate "$number" &
        run=$!
        wait "$run"; code=$?
        while kill -0 "$run" 2>/dev/null; do wait "$run"; code=$?; done    # a signal ends a wait, not the run
        [ "$code" -eq 0 ] || worst=$code
        [ -z "${again:-}${ended:-}" ] || break
    done
    if [ "${again:-}" = yes ] || [ "$worst" -eq 5 ]; then
        [ "${SLURM_RESTART_COUNT:-0}" -lt 20 ] && scontrol requeue "$SLURM_JOB_ID"
    fi
    exit "$worst"
    ;;
table)
    exec "$bdem" sweep {{SWEEP}} -o "$output" --table
    ;;
*)
    mkdir -p "$output" || exit
    logs=${output//%/%%}
    array=$(sbatch --parsable --array="0-$(({{TASKS}} - 1)){{AT_ONCE}}" --output="$logs/slurm_%a.log" "$@" "$0" task) || exit
    array=${array%%;*}
    # also where runs failed
    table=$(sbatch --parsable --dependency=afterany:"$array" --output="$logs/slurm_table.log" "$@" "$0" table) || exit
    echo "job $array has {{RUNS}} runs in {{TASKS}} tasks; job ${table%%;*} makes $output/{{TABLE}}"
    ;;
esac
