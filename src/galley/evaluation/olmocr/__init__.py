"""olmOCR-Bench (Poznanski et al. 2025): facts about single pages, each of which an output states or not."""
