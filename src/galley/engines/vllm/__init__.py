"""Draft-and-verify in stock vLLM: a drafter for ``speculative_config``, its plugin, and vLLM as a reader.

What imports vLLM is not imported here.
"""
