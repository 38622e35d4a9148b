"""Forms of matrices that few need: symmetric factors, balanced ones, and functions by values."""
