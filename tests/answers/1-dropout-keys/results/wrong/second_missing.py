# the network with dropout was never trained
# loses: accuracy-with-dropout
# fair: 40-60 %
# mistake: not-defined
accuracy_without = 0.938
