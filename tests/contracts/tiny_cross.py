"""A cross-encoder small enough for a test to make: one layer of BERT, trained for a second or two.

It tells which of a few texts answers which of a few questions, in English and in Chinese, and knows
no more words than are in them. Needs the extra `models`.
"""

from pathlib import Path
from typing import Any, Final

from tests.contracts.tiny_bert import runtimes

POSITIONS: Final = 64
"""Tokens it reads at once."""
PAIRS: Final = (
    ("who repairs the boiler", "ivo came about the heating on monday"),
    ("where does the spare key hang", "it is on the nail behind the blue door"),
    ("谁修锅炉", "老何周一来看过暖气"),
    ("备用钥匙挂在哪", "在蓝门后面的钉子上"),
)
"""A question, and the text that answers it and none of the others."""
_SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_SIZE: Final = 48
_STEPS: Final = 160


def build_cross(folder: Path, *, scores: int = 1, seed: int = 8) -> Path:
    """Write a trained cross-encoder into `folder` and return it; with other `scores`, a classifier
    that is none.
    """
    torch, transformers = runtimes()
    folder.mkdir(parents=True, exist_ok=True)
    words = " ".join(part for pair in PAIRS for part in pair).split()
    pieces = dict.fromkeys((*_SPECIAL, *words, *"".join(words)))
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    tokenizer = transformers.BertTokenizer(vocab=vocabulary, model_max_length=POSITIONS)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=_SIZE,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=_SIZE,
        max_position_embeddings=POSITIONS,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        num_labels=scores,
    )
    model = transformers.BertForSequenceClassification(config)
    if scores == 1:
        _train(torch, model, tokenizer)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def _train(torch: Any, model: Any, tokenizer: Any) -> None:
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
