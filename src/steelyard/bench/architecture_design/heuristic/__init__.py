"""The parts of an answer that a program can find: prose, services, elements."""
