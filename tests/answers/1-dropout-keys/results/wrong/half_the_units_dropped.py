# the network with dropout was measured with most of its units dropped
# loses: accuracy-with-dropout
# fair: 40-60 %
# mistake: none named
accuracy_without = 0.938
accuracy_with = 0.61
