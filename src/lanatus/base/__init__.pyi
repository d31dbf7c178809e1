from sklearn.utils.validation import check_is_fitted as check_is_fitted

from lanatus.catalog import Takes as Takes

from ._arrays import aligned as aligned
from ._arrays import n_threads as n_threads
from ._collections import is_dask as is_dask
from ._estimator import Estimator as Estimator
from ._estimator import fitting as fitting
from ._estimator import n_rows as n_rows
from ._estimator import output_library as output_library
from ._estimator import take_rows as take_rows
from ._estimator import warn_unconverged as warn_unconverged
from ._intake import Columns as Columns
from ._intake import Intake as Intake
from ._intake import Numbers as Numbers
from ._intake import NumbersOrTable as NumbersOrTable
from ._intake import Tables as Tables
from ._intake import is_plain as is_plain
from ._intake import is_plain_numbers as is_plain_numbers
from ._intake import match_columns as match_columns
from ._intake import take_plain as take_plain
from ._intake import take_table as take_table
from ._targets import as_labels as as_labels
from ._targets import as_targets as as_targets
from ._targets import check_positive_weight as check_positive_weight
from ._targets import class_codes as class_codes
from ._targets import coded_rows as coded_rows
