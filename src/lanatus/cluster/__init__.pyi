from ._kmeans import KMeans as KMeans
from ._kmeans_start import assign as assign
from ._kmeans_start import plusplus as plusplus
from ._kmeans_start import random_rows as random_rows
