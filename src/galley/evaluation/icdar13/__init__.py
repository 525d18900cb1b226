"""The ICDAR 2013 table competition: tables of born-digital documents, scored by neighbouring cells."""
