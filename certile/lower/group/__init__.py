"""The group map: programs that ask for a group, as steps over its threads and its memory."""
