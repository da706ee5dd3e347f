"""Results become documents, documents become text, Markdown, HTML, JUnit or SARIF. Nothing here computes."""
