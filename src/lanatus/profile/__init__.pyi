from ._facts import ColumnFacts as ColumnFacts
from ._facts import Finding as Finding
from ._facts import Profile as Profile
from ._facts import Task as Task
from ._facts import Words as Words
from ._profile import look as look
from ._profile import profile as profile
from ._profile import roles_to_keep as roles_to_keep
