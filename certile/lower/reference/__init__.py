"""The reference map: one program a lane, every loop serial, order kept as written."""
