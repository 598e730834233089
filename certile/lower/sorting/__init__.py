"""Sorting networks over integers that compare as elements do; every map that sorts shares them."""
