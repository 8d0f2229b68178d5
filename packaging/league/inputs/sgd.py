"""Trains a small network by batches; a line an epoch."""
import numpy

draw = numpy.random.default_rng(1)
inputs = draw.standard_normal((10240, 128), dtype=numpy.float32)
wanted = numpy.sin(inputs @ draw.standard_normal((128, 8), dtype=numpy.float32) / 16)
first = draw.standard_normal((128, 128), dtype=numpy.float32) / 16
second = draw.standard_normal((128, 8), dtype=numpy.float32) / 23
for epoch in range(100000):
    order = draw.permutation(len(inputs))
    for batch in order.reshape(-1, 512):
        x, y = inputs[batch], wanted[batch]
        hidden = numpy.tanh(x @ first)
        error = (hidden @ second - y) / len(batch)
        back = (error @ second.T) * (1 - hidden * hidden)
        second -= hidden.T @ error
        first -= x.T @ back
    print("epoch", epoch, float(numpy.mean((numpy.tanh(inputs @ first) @ second - wanted) ** 2)))
