"""CDK synthesis: forty prompts whose answers are really synthesized."""
