# A C source of 9,000 functions, no two alike, for the compiler.
BEGIN {
  srand(5)
  print "extern double sin(double), exp(double);"
  for (f = 0; f < 9000; f++) {
    printf "double f%d(double *x, int n) { double s = %d;\n", f, f
    lines = 2 + int(40 * rand() ^ 3)
    for (l = 0; l < lines; l++) {
      k = int(4 * rand())
      if (k == 0) printf "for (int i = 0; i < n; i += %d) s += x[i] * %d;\n", 1 + int(7 * rand()), l
      if (k == 1) printf "if (s > %d) s -= sin(x[%d]); else s += n;\n", l, int(99 * rand())
      if (k == 2) printf "switch (n %% %d) { case 1: s = exp(s); case 2: x[%d] = s; }\n", 3 + l, l
      if (k == 3) printf "while (s > x[%d]) { s *= .%d; n ^= %d; }\n", l, 1 + int(8 * rand()), l
    }
    print "return s; }"
  }
}
