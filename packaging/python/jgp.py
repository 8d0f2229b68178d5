"""Reads the columns of a jobgait profile, with the standard library of Python 3.7. columns = jgp.read(PATH): a dict from
"t_s", the seconds since the run began, and the name of every column to one list each, a rate per second or a level in
every slot, None where there is none. PATH is a profile, and the program `jobgait` is in the PATH, or what
`jobgait export --csv` made of one elsewhere."""
import csv, subprocess

def read(path):
    with open(path, "rb") as f:
        text = f.read()
    if not text.startswith(b"t_s,"):
        text = subprocess.run(["jobgait", "export", "--csv", path], check=True, stdout=subprocess.PIPE).stdout
    names, *rows = csv.reader(text.decode().splitlines())
    return {name: [float(v) if v else None for v in values] for name, values in zip(names, zip(*rows))}
