"""Reports: a model, or a comparison of learners, as one HTML page that needs nothing else.

linnet.report.write("income.linnet", "income.html")
page = linnet.report.html(model, data="income-test.csv")
"""

from linnet.report.making import html as html
from linnet.report.making import write as write

__all__ = ["html", "write"]
