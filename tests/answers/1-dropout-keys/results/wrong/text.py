# texts
# loses: everything
# fair: 0-30 %
# mistake: none named
accuracy_without = "92.6 %"
accuracy_with = "93.4 %"
