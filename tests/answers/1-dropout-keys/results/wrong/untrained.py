# both numbers are those of networks before training
# loses: accuracy-without-dropout, accuracy-with-dropout
# fair: 0-20 %
# mistake: none named
accuracy_without = 0.098
accuracy_with = 0.102
