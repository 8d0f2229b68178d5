# Two fake GPUs of the last node: device files that are /dev/null, and a library of known
# waveforms where jobgait-nvml looks for NVIDIA's.

# gpus_make: on a machine with device files of NVIDIA none are faked.
gpus_make() {
  local name
  if compgen -G '/dev/nvidia*' >/dev/null; then
    say "this machine has device files of NVIDIA: no fake GPUs"
    return 0
  fi
  for name in nvidiactl nvidia0 nvidia1; do
    echo "/dev/$name" >>"$PREFIX/gpus"
    mknod -m 666 "/dev/$name" c 1 3 || die "cannot make /dev/$name"
  done
}

# gpus_remove: what gpus_make has made, and nothing else.
gpus_remove() {
  local path
  [[ -r $PREFIX/gpus ]] || return 0
  while read -r path; do
    [[ $path == /dev/nvidia* && $(stat -c %t:%T "$path" 2>/dev/null) == 1:3 ]] && rm -f "$path"
  done <"$PREFIX/gpus"
  rm -f "$PREFIX/gpus"
}

# gpus_configure: Slurm hands them out by their files.
gpus_configure() {
  [[ -s $PREFIX/gpus ]] || return 0
  echo "GresTypes=gpu" >>"$PREFIX/etc/slurm.conf"
  sed -i "s/^NodeName=n$NODES .*/& Gres=gpu:2/" "$PREFIX/etc/slurm.conf"
  printf 'AutoDetect=off\nNodeName=n%s Name=gpu File=/dev/nvidia[0-1]\n' "$NODES" >"$PREFIX/etc/gres.conf"
}

# gpus_install: jobgait-nvml as it is, with the fake in its library path. In every 2 s
# kernels run for 1.38 s; energy is new every 20 ms, the utilization every sixth of a
# second, of which it is the mean. The driver of one run hangs while gpu/hangs/RUN is a
# file system that does.
gpus_install() {
  local gpu=$root/agent/counter/gpu dir=$PREFIX/libexec/jobgait/gpu
  [[ -s $PREFIX/gpus ]] || return 0
  install -d -m 755 "$dir"
  gcc -O2 -o "$dir/jobgait-nvml" "$gpu/nvml/nvml.c" -ldl &&
    gcc -O1 -shared -fPIC -o "$dir/libnvidia-ml.so.1" "$gpu/testdata/fake_nvml.c" ||
    die "the fake GPUs do not compile"
  cat >"$PREFIX/libexec/jobgait/jobgait-nvml" <<C
#!/bin/sh
run=\$(tr '\0' '\n' </proc/\$PPID/cmdline | sed -n '/^--run-dir$/{n;s|.*/||;p}')
export FAKE_HANG_AT="$dir/hangs/\$run/x"
export LD_LIBRARY_PATH='$dir' FAKE_PERIOD_MS=2000 FAKE_ACTIVE_MS=1380 FAKE_REFRESH_MS=20 FAKE_WINDOW_MS=166
exec '$dir/jobgait-nvml' "\$@"
C
  chmod 755 "$PREFIX/libexec/jobgait/jobgait-nvml"
}
