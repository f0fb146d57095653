"""A cross-encoder small enough for a test to make: one layer of BERT, trained for a second or two.

It tells which of a few texts answers which of a few questions, in English and in Chinese, and knows
no more words than are in them. Needs the extra `models`.
"""

from pathlib import Path
from typing import Any, Final

from tests.contracts.tiny_bert import runtimes, saved, untrained

PAIRS: Final = (
    ("who repairs the boiler", "ivo came about the heating on monday"),
    ("where does the spare key hang", "it is on the nail behind the blue door"),
    ("谁修锅炉", "老何周一来看过暖气"),
    ("备用钥匙挂在哪", "在蓝门后面的钉子上"),
)
"""A question, and the text that answers it and none of the others."""
_SIZE: Final = 48
_STEPS: Final = 160


def build_cross(folder: Path, *, scores: int = 1, seed: int = 8) -> Path:
    """Write a trained cross-encoder into `folder` and return it; with other `scores`, a classifier
    that is none.
    """
    words = " ".join(part for pair in PAIRS for part in pair).split()
    tokenizer, model = untrained(words, size=_SIZE, seed=seed, num_labels=scores)
    if scores == 1:
        _train(model, tokenizer)
    return saved(folder, tokenizer, model)


def _train(model: Any, tokenizer: Any) -> None:
    torch, _ = runtimes()
    every = [(asked, text) for asked, _ in PAIRS for _, text in PAIRS]
    truth = torch.tensor([[float(pair in PAIRS)] for pair in every])
    batch = tokenizer(
        [asked for asked, _ in every],
        [text for _, text in every],
        padding=True,
        return_tensors="pt",
    )
    weigh = torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor([float(len(PAIRS) - 1)]))
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(_STEPS):
        optimiser.zero_grad()
        weigh(model(**batch).logits, truth).backward()
        optimiser.step()
