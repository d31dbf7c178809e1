from ._kd_tree import KDTree as KDTree
from ._kd_tree import grow_tree as grow_tree
from ._nearest import Neighbors as Neighbors
from ._nearest import nearest as nearest
