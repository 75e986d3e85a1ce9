# the training went to nan
# loses: accuracy-with-dropout
# fair: 40-60 %
# mistake: none named
accuracy_without = 0.926
accuracy_with = float("nan")
