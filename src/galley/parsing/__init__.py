"""From page images to documents: passes, and the strategies that add a model."""
