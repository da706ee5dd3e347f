"""The command line: each command parses its options, calls one public function and prints the result."""
