from ._facts import Estimate as Estimate
from ._facts import Facts as Facts
from ._facts import Readable as Readable
from ._facts import Standing as Standing
from ._page import report_html as report_html
from ._page import write_report as write_report
