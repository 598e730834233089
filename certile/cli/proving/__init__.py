"""`certile prove`: what is proved of a law, and of the laws and rewrites of a kernel."""
