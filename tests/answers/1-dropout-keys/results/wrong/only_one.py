# the second number is missing
# loses: accuracy-with-dropout
# fair: 40-60 %
# mistake: not-defined
accuracy_without = 0.926
