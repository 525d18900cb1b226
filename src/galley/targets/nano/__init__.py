"""``galley-nano``: the small drafter-verifier that ships with Galley and runs offline on a CPU."""
