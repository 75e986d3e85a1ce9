# the share that is read wrongly
# loses: everything
# fair: 0-30 %
# mistake: none named
accuracy_without = 0.074
accuracy_with = 0.066
