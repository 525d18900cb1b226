"""Draft-and-verify in stock vLLM: a proposer for ``speculative_config``, a plugin that puts it into place, and
vLLM as a reader. What imports vLLM is not imported here.
"""
