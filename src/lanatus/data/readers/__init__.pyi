from ._read import kind_of as kind_of
