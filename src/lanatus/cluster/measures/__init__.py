"""How good a clustering is (section 9.2): against a reference, or by itself."""
