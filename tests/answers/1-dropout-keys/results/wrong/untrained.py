# the network with dropout was never trained
# loses: accuracy-with-dropout
# fair: 40-60 %
# mistake: none named
accuracy_without = 0.926
accuracy_with = 0.104
