"""Other guards, on the same rows: each in an environment of its own, made when it is asked for.

What runs there is in this folder too, one file a guard, and imports nothing of ours. `ask.py` feeds
it. A guard that can't be installed or run is reported so, and never left out.
"""

from bench.poisoning.peers.asking import PeerReport, asked
from bench.poisoning.peers.installing import PEERS, Peer

__all__ = ["PEERS", "Peer", "PeerReport", "asked"]
