# nothing at all
# loses: everything
# fair: 0-0 %
# mistake: not-defined
