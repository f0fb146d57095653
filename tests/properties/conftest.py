"""Properties run without a deadline: a slow machine is no counterexample."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
