# an empty file
# loses: per-example-grads-is-a-pure-function, gradients-have-the-structure-of-params, each-row-is-the-gradient-of-its-own-loss, row-i-belongs-to-example-i-alone, gradients-use-the-labels-given, gradients-of-other-batch-sizes, norms-are-one-number-an-example, norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong, norms-of-other-batch-sizes
# fair: 0-100 %
# mistake: none named
