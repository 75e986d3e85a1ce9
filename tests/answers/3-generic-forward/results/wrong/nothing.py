# nothing was done
# loses: everything
# fair: 0-0 %
# mistake: not-defined
digits = None
