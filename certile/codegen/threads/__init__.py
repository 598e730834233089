"""What the C-like targets share: one scalar a thread for every value of Machine IR."""
