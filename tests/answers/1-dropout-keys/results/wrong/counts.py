# numbers of digits instead of shares
# loses: accuracy-without-dropout, accuracy-with-dropout
# fair: 0-25 %
# mistake: count-instead-of-share
accuracy_without = 469
accuracy_with = 465
