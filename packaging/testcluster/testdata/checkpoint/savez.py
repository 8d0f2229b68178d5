# A time step of matrix products and sorts; np.savez of the state every 25 steps. Logs begin and end of each.
import sys, time
import numpy as np
end, rng = time.time() + float(sys.argv[1]), np.random.default_rng(1)
a, state, log, step = rng.random((250, 250)), rng.random(4_000_000), open("checkpoints", "w"), 0
while time.time() < end:
    t = time.time() + .1
    while time.time() < t:
        a = np.tanh(a @ a.T / 250)
    t = time.time() + .06
    while time.time() < t:
        np.sort(state[:200_000])
    step += 1
    if step % 25 == 0:
        b = time.time()
        np.savez_compressed("state.npz", state=state[:1_500_000], step=step)
        print(b, time.time(), file=log, flush=True)
