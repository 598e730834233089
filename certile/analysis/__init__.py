"""Questions about Tile IR; an answer carries its reason."""
