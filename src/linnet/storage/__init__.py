"""Files on disk: written whole or not at all; arrays and a description in one checked container."""
