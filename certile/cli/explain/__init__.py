"""`certile plan`, `explain` and `why`: one compile, stage by stage, and as a page."""
