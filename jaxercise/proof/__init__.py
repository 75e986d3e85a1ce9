"""Proves the checks: grades answers whose marks are known, and mutants of the model solutions.

Nothing here takes part in grading; verdicts do not depend on it.
"""
