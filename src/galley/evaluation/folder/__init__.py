"""Any folder of pictures or PDFs with a truth file of the same name beside each."""
