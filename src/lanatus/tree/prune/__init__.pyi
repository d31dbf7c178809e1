from ._pruning import cost_complexity_path as cost_complexity_path
from ._pruning import pre_pruned as pre_pruned
from ._pruning import reduced_error as reduced_error
