"""What the repository needs besides the packages: checks, builds, benchmarks and the demo."""
