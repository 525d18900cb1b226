"""Joint AR-diffusion training, data building, GRPO, export."""
