"""Draft-and-verify in stock SGLang: a speculative algorithm for its plugin registry.

What imports SGLang is not imported here.
"""
