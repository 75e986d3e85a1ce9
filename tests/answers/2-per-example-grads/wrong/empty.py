# an empty file
# loses: everything
# fair: 0-0 %
# mistake: not-defined
