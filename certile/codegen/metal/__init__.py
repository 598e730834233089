"""Metal Shading Language from Machine IR."""
