# a tuple
# loses: report-is-consistent
# fair: 40-60 %
# mistake: returns-no-dict
report = (0.002, 0.016, 8.0, 0.6)
