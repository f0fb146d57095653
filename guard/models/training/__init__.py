"""How the classifier is made: data, disguises, models, calibration. Needs the extra `train`."""
