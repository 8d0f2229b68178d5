# For gdb: stops its process at random moments and writes, each time, registers, stack and frames as a line of JSON.
import gdb, json, os, subprocess, time
out = open(os.environ["STACKS_OUT"], "w")
gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set backtrace past-main on")
pid = gdb.selected_inferior().pid
# A process beside gdb, which lets no other thread of its own run: it interrupts the program whenever that runs.
interrupt = "sleep 3; while kill -0 %d; do grep -q '^State:.[RS]' /proc/%d/status && kill -INT %d; sleep 0.0$((RANDOM %% 30 + 1)); done"
subprocess.Popen(["bash", "-c", interrupt % (pid, pid, pid)], stderr=subprocess.DEVNULL, start_new_session=True)
red_zone = 128
names = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"] + ["r%d" % i for i in range(8, 16)] + ["rip"]

# The executable mappings of the process, which change when it loads or unloads a library.
def code():
    with open("/proc/%d/maps" % pid) as maps:
        return [line for line in maps if "x" in line.split()[1]]

for n in range(int(os.environ["STACKS_N"])):
    gdb.execute("continue", to_string=True)
    f = gdb.newest_frame()
    registers = [int(f.read_register(r)) & (1 << 64) - 1 for r in names]
    stack = b""
    while len(stack) < 128 << 10: # up to the end of the memory
        at = registers[7] - red_zone + len(stack)
        try:
            stack += gdb.selected_inferior().read_memory(at, 4096 - at % 4096).tobytes()
        except gdb.MemoryError:
            break
    frames = []
    while f is not None and f.is_valid() and len(frames) < 200:
        if f.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME): # of its own making
            frames.append([int(f.pc()), f.name() or "", f.type()])
        f = f.older()
    out.write(json.dumps({"pid": pid, "registers": registers, "stack": stack.hex(), "stack_at": registers[7] - red_zone, "frames": frames, "code": code()}) + "\n")
out.write("{}\n")
out.flush()
time.sleep(float(os.environ.get("STACKS_WAIT", "120")))
