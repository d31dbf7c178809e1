from lanatus.auto import fit as fit
from lanatus.data import scan as scan
from lanatus.persist import load as load
from lanatus.persist import save as save

__version__: str
