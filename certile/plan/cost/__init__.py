"""What a candidate costs: what a policy sees of it, and the policies that we have."""
