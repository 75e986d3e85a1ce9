# the network was not trained
# loses: deep-accuracy
# fair: 40-60 %
# mistake: none named
deep_accuracy = 0.11
losses_by_depth = {1: 0.36, 2: 0.27, 3: 0.25, 5: 0.29, 11: 0.41, 20: 0.62}
