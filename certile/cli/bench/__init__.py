"""`certile bench`: operations in fair races, as a table, JSON or a picture."""
