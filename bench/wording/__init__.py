"""Fits what wording counts beside relevance, on conversations that are made here."""
