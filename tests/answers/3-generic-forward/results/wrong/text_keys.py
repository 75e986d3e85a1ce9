# texts as keys
# loses: losses-by-depth
# fair: 40-75 %
# mistake: depths-are-texts
deep_accuracy = 0.923
losses_by_depth = {"1": 0.36, "2": 0.27, "3": 0.25, "5": 0.29, "11": 0.41, "20": 0.62}
