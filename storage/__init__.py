"""Keeps: ledger, vault, index, outbox, audit. Fulfils the ports of `guard.ports`."""
