"""How fast it is: `python -m benchmarks`, or one section alone with `python -m benchmarks games`.

A section is a module here with a function `run()` that yields rows, listed in `benchmarks.__main__`. Figures are
ratios within one run wherever that can be: they travel from one machine to the next, seconds do not.
"""
