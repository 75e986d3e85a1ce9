# a text instead of a number
# loses: accuracy-without-dropout, accuracy-with-dropout
# fair: 0-25 %
# mistake: text-instead-of-a-number
accuracy_without = f"{0.938:.1%}"
accuracy_with = f"{0.93:.1%}"
