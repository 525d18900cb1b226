"""UniMER-Test (Wang et al. 2024): pictures of formulas, printed, captured from screens and handwritten."""
