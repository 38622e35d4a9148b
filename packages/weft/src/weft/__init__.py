"""A symbolic tensor compiler: build, differentiate, rewrite and compile array expressions."""
