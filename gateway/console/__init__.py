"""The console: pages for reviewers, auditors and administrators, through the same doors as REST."""
