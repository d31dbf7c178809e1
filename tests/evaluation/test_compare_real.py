"""Six learners on ten real data sets in one call: ranks and diagram; killed half way, the same table."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

NAMES = ["credit_a", "glass", "heart_c", "hepatitis", "house_votes_84", "ionosphere", "iris", "lymph", "sonar", "zoo"]

PROGRAM = textwrap.dedent(
    """
    import sys
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from sklearn.tree import DecisionTreeClassifier
    from lanatus.bayes import GaussianNB
    from lanatus.data import read
    from lanatus.preprocess import SimpleImputer
    from lanatus.evaluation import compare

    folder, journal, page, *names = sys.argv[1:]

    def table(name):
        whole = read(f"{folder}/{name}.parquet").to_pandas()
        return whole.iloc[:, :-1], whole.iloc[:, -1]

    def on_numbers(learner):
        words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        numbers = make_column_transformer(
            (words, make_column_selector(dtype_exclude="number")), remainder="passthrough"
        )
        return make_pipeline(SimpleImputer(), numbers, StandardScaler(), learner)

    learners = {
        "朴素贝叶斯": GaussianNB(),
        "3 neighbours": on_numbers(KNeighborsClassifier(3)),
        "logistic regression": on_numbers(LogisticRegression()),
        "decision tree": on_numbers(DecisionTreeClassifier()),
        "stump": on_numbers(DecisionTreeClassifier(max_depth=1)),
        "majority": DummyClassifier(),
    }
    data = {name: table(name) for name in names}
    result = compare(learners, data, splitter=3, measures="accuracy", checkpoint=journal)
    assert not result.failures, result.failures[0]
    print(result)
    print(result.plot().groups())
    result.to_html(page)
    """
)


@pytest.mark.slow  # a program on real tables is killed and started again
def test_ranks_and_diagram_in_one_call_and_again_after_a_kill(shared_data, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM, encoding="utf-8")

    def start(name):
        call = [sys.executable, script, shared_data, tmp_path / f"{name}.jsonl", tmp_path / f"{name}.html", *NAMES]
        return subprocess.Popen(
            list(map(str, call)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=environment
        )

    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"}
    journal, fits = tmp_path / "killed.jsonl", 6 * 10 * 3
    killed = start("killed")
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and not (journal.exists() and journal.read_bytes().count(b"\n") > fits // 2):
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert fits // 3 < journal.read_bytes().count(b"\n") < fits
    whole, resumed = start("whole"), start("killed")
    (table, problems), (again, _) = whole.communicate(timeout=300), resumed.communicate(timeout=300)
    assert whole.returncode == 0, problems
    assert again == table
    assert "mean rank" in table
    assert "Friedman" in table
    assert "logistic regression than majority" in table
    assert "<svg" in (tmp_path / "killed.html").read_text(encoding="utf-8")
