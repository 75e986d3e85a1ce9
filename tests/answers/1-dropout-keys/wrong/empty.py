# nothing at all
# loses: dropout-is-a-pure-function, forward-dropout-is-a-pure-function, dropout-keeps-shape-and-dtype, survivors-are-divided-by-the-keep-probability, share-of-zeros-is-the-rate, rate-zero-changes-nothing, same-key-gives-the-same-mask, other-key-gives-another-mask, every-element-is-decided-on-its-own, raw-and-typed-keys-both-work, logits-have-one-row-an-image, without-training-it-is-the-plain-network, both-hidden-layers-are-dropped-out, units-are-scaled-once, each-layer-has-its-own-key, input-and-logits-are-left-alone, gradients-reach-every-layer, a-network-learns-with-it
# fair: 0-100 %
# mistake: none named
