"""`certile bench --budgets`: bars, and the measurements that are held against them."""
