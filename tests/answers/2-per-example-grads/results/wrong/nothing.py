# nothing was done
# loses: everything
# fair: 0-0 %
# mistake: not-defined
x32 = None
