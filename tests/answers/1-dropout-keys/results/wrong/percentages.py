# percentages instead of shares
# loses: accuracy-without-dropout, accuracy-with-dropout
# fair: 0-25 %
# mistake: percentage-instead-of-share
accuracy_without = 93.8
accuracy_with = 93.0
