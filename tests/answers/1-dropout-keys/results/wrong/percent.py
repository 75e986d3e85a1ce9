# in percent
# loses: everything
# fair: 0-40 %
# mistake: percentage-instead-of-share
accuracy_without = 92.6
accuracy_with = 93.4
