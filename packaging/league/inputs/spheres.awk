# A scene of 900 spheres for the ray tracer.
BEGIN {
  srand(3)
  print "camera { location <0, 4, -14> look_at 0 } light_source { <9, 20, -9> rgb 1 }"
  for (i = 0; i < 900; i++)
    printf "sphere { <%.3f, %.3f, %.3f>, %.3f pigment { rgbt <%.2f, %.2f, .5, .%d> } finish { reflection .%d } interior { ior 1.2 } }\n",
      14 * rand() - 7, 10 * rand() - 5, 14 * rand() - 4, .1 + .5 * rand() ^ 2, rand(), rand(), int(9 * rand()), int(5 * rand())
}
