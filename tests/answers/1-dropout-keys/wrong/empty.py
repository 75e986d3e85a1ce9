# nothing at all
# loses: everything
# fair: 0-5 %
# mistake: not-defined
