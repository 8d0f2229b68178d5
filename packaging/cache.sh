#!/bin/sh
# cache.sh: prints the directory for what is fetched once and kept outside the
# tree: $JOBGAIT_CACHE, else jobgait/ in $XDG_CACHE_HOME, else /var/cache/jobgait
# for root and ~/.cache/jobgait for others.
set -eu
if [ -n "${JOBGAIT_CACHE:-}" ]; then echo "$JOBGAIT_CACHE"
elif [ -n "${XDG_CACHE_HOME:-}" ]; then echo "$XDG_CACHE_HOME/jobgait"
elif [ "$(id -u)" = 0 ]; then echo /var/cache/jobgait
else echo "${HOME:?neither HOME nor XDG_CACHE_HOME is set}/.cache/jobgait"
fi
