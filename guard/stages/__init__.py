"""Screening stages. Each is a pure function of (tagged draft, facts) that returns findings."""
