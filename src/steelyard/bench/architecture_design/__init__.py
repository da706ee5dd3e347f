"""Architecture design: twenty-eight tasks about reading and creating AWS architectures."""
