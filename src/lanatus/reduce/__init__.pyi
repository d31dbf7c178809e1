from .linear._linear_reducer import LinearReducer as LinearReducer
from .linear._pca import PCA as PCA
