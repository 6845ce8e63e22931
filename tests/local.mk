# Tests that belong to no single layer.
