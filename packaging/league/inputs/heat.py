"""Heat in a plate by explicit steps, and a picture of it every 40; a line a picture."""
import numpy

plate = numpy.zeros((700, 700))
plate[200:300, 200:300] = 1000
for step in range(1, 1000000):
    around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
    plate[1:-1, 1:-1] += 0.2 * (around - 4 * plate[1:-1, 1:-1])
    if step % 40 == 0:
        shown = numpy.histogram(numpy.sqrt(numpy.abs(plate)), bins=64)
        print("picture", step, int(shown[0].max()))
