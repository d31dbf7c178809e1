"""Weka's classifiers, in a process of their own, as Java does not leave the process it was started in.

`ask` fits one to a table and gives what it says of the rows; ``python weka_classifier.py data.arff out.json class
options...`` is that process.
"""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

needs_weka = pytest.mark.skipif(
    importlib.util.find_spec("weka") is None or shutil.which("java") is None,
    reason="python-weka-wrapper3 or Java is not installed",
)


def ask(frame: Any, folder: Path, name: str, *options: str) -> dict[str, Any]:
    """Labels, probabilities of each row, the model's text and its graph; the last column of the frame is the class."""
    from lanatus.data import write_arff

    write_arff(frame, folder / "data.arff")
    out = folder / "out.json"
    command = [sys.executable, __file__, str(folder / "data.arff"), str(out), f"weka.classifiers.{name}", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        pytest.skip(f"Weka did not run: {done.stderr[-300:]}")
    return json.loads(out.read_text(encoding="utf-8"))


def main(data: str, out: str, name: str, *options: str) -> None:
    from weka.classifiers import Classifier
    from weka.core import jvm
    from weka.core.converters import Loader

    jvm.start(packages=False, logging_level=40)
    try:
        rows = Loader("weka.core.converters.ArffLoader").load_file(data)
        rows.class_is_last()
        model = Classifier(name, options=list(options))
        model.build_classifier(rows)
        found = {
            "labels": list(rows.class_attribute.values),
            "shares": [model.distribution_for_instance(row).tolist() for row in rows],
            "text": str(model),
            "graph": model.graph,
        }
    finally:
        jvm.stop()
    Path(out).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
