# nothing at all
# loses: TODO
