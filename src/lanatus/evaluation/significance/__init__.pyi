from ._post_hoc import adjusted_p_values as adjusted_p_values
from ._samples import learner_names as learner_names
