"""What is encoded or packed inside a text: the gate looks there for the answers of its tasks."""
