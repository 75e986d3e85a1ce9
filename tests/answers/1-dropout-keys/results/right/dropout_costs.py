# dropout costs accuracy, which is never graded
accuracy_without = 0.94
accuracy_with = 0.91
