# twenty layers do best, which is never graded
deep_accuracy = 0.9
losses_by_depth = {20: 0.1, 11: 0.2, 5: 0.25, 3: 0.3, 2: 0.35, 1: 0.4}
