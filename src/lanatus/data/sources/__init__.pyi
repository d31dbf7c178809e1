from ._scan import Source as Source
