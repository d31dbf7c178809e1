from ._boosted_stumps import Stumps as Stumps
from ._boosted_stumps import boosted as boosted
from ._boosted_stumps import joined as joined
from ._boosted_stumps import votes as votes
