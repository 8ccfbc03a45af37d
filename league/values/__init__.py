"""A league as plain, frozen values, shared by all layers."""
