"""Tables with truth: read from corpora, dressed in many styles, rendered by Chromium with cell and word
boxes."""
