"""From a Python function to Tile IR, by running it once on stand-ins for its arguments."""
