"""OmniDocBench v1.5 and v1.6: elements cut out, matched and scored as the official scorer does."""
