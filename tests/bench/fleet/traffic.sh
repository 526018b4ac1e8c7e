#!/bin/sh
# traffic.sh MPIRUN PROGRAM TOPOLOGY COUNT: sends COUNT topologies from two ranks to rank 0, in a table.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
"$1" --version | grep -qE 'Open MPI|OpenRTE' && oversubscribe=--oversubscribe || oversubscribe=
"$1" -n 3 $oversubscribe "$2" "$3" "$4" 2>/dev/null
