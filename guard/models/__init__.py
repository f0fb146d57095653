"""Model runtimes. The only home of onnxruntime, tokenizers, sklearn, transformers and torch."""
