# measured with units dropped
# loses: accuracy-with-dropout
# fair: 40-70 %
# mistake: none named
accuracy_without = 0.926
accuracy_with = 0.861
