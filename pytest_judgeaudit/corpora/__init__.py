"""Reading the files that people write items in, and the batteries that ship with the package."""
