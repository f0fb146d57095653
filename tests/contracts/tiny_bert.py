"""A model directory small enough to be made by a test: one layer of BERT over a few hundred words.

Its weights are random; what makes likeness show is that a token's own embedding outweighs the rest.
Needs the extra `models`.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

SIZE: Final = 192
POSITIONS: Final = 64
_WORDS: Final = """
which port does the staging database use listens on he likes green tea order of customer ready text
what is weather like today ok y x hello world query passage
""".split()  # noqa: SIM905 - read as sentences, not as a list
_CHARACTERS: Final = (
    "我住在杭州平时用微信联系什么数据库端口是五四三记忆今天气怎样请把发票寄到公司就绪"
    "abcdefghijklmnopqrstuvwxyz0123456789.,?!:"
)
MISSING: Final = "the extra `models` is not installed: `make test-models` does it"
SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def runtimes() -> tuple[Any, Any]:
    """Return torch and transformers; skip, and say so, where the extra is not installed."""
    torch = pytest.importorskip("torch", reason=MISSING)
    return torch, pytest.importorskip("transformers", reason=MISSING)


def build(folder: Path, *, seed: int = 7) -> Path:
    """Write tokenizer, settings and weights of a tiny BERT into `folder`, and return it."""
    torch, transformers = runtimes()
    folder.mkdir(parents=True, exist_ok=True)
    pieces = dict.fromkeys((*SPECIAL, *_WORDS, *_CHARACTERS))
    pieces |= dict.fromkeys(f"##{one}" for one in _CHARACTERS if one.isascii())
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    transformers.BertTokenizer(vocab=vocabulary, model_max_length=POSITIONS).save_pretrained(folder)
    torch.manual_seed(seed)
    model = transformers.BertModel(
        transformers.BertConfig(
            vocab_size=len(vocabulary),
            hidden_size=SIZE,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=SIZE,
            max_position_embeddings=POSITIONS,
        )
    )
    with torch.no_grad():
        model.embeddings.word_embeddings.weight.normal_()
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def untrained(words: Sequence[str], *, size: int, seed: int, **labels: Any) -> tuple[Any, Any]:
    """Return the tokenizer and the model of a tiny sequence classifier that knows these words."""
    torch, transformers = runtimes()
    pieces = dict.fromkeys((*SPECIAL, *words, *"".join(words)))
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    tokenizer = transformers.BertTokenizer(vocab=vocabulary, model_max_length=POSITIONS)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=size,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=size,
        max_position_embeddings=POSITIONS,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        **labels,
    )
    return tokenizer, transformers.BertForSequenceClassification(config)


def saved(folder: Path, tokenizer: Any, model: Any) -> Path:
    """Write both into `folder` and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def add_steps(
    folder: Path,
    *,
    pooling: Sequence[str] = ("mean_tokens",),
    max_tokens: int = 32,
    prompts: dict[str, str] | None = None,
    more: Sequence[str] = (),
) -> Path:
    """Write the files that sentence-transformers adds to a directory, and return it."""
    kinds = ("Transformer", "Pooling", "Normalize", *more)
    steps = [
        {
            "idx": place,
            "name": str(place),
            "path": f"{place}_{kind}" if place else "",
            "type": f"sentence_transformers.models.{kind}",
        }
        for place, kind in enumerate(kinds)
    ]
    write(folder / "modules.json", steps)
    modes = ("cls_token", "mean_tokens", "max_tokens")
    switches = {f"pooling_mode_{mode}": mode in pooling for mode in modes}
    write(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": SIZE, **switches})
    write(folder / "sentence_bert_config.json", {"max_seq_length": max_tokens})
    write(folder / "config_sentence_transformers.json", {"prompts": prompts or {}})
    return folder


def write(path: Path, content: object) -> None:
    """Write JSON, with the folders it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
