"""What the whole gateway recalls: texts go in and questions are asked over REST."""
