"""In-memory adapters: product code for tests and demonstrations, under the same contract suites."""
