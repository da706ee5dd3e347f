"""Which logs count, for whom, and what stands in them."""
