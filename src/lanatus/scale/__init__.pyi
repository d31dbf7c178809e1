from lanatus.base import is_dask as is_dask

from ._blockwise import Answers as Answers
from ._blockwise import blockwise as blockwise
from ._classes import ClassMass as ClassMass
from ._classes import tally_classes as tally_classes
from ._dask import OnDask as OnDask
from ._engines import Block as Block
from ._engines import Engine as Engine
from ._engines import InMemory as InMemory
from ._engines import NumberedRows as NumberedRows
from ._engines import S as S
from ._engines import Streamed as Streamed
from ._engines import Tally as Tally
from ._open import is_at_scale as is_at_scale
from ._open import open_engine as open_engine
from ._stats import Moments as Moments
from ._stats import Sums as Sums
