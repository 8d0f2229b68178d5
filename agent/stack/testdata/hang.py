"""A program that sleeps in a function that a comprehension, a generator and a C function call."""
import functools
import threading
import time


class Solver:
    def halo(self):
        # The line of the call is that of its first argument's expression, two lines below.
        time.sleep(
            1000
        )

    def steps(self):
        yield 1
        yield self.halo()


def wait_for(event):
    event.wait()


def réduire(solver):
    return functools.reduce(lambda total, step: total, solver.steps())


threading.Thread(target=wait_for, args=(threading.Event(),), daemon=True).start()
réduire(Solver())
