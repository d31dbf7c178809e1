"""Run by a test in a process of its own, as Java does not leave the process it was started in.

``python weka_tan.py data.arff alpha out.json`` writes what Weka's TAN says: parents of each attribute, probabilities of
the classes for each row, and the labels in their order. Edges are scored by entropy, which is information times rows.
"""

import json
import re
import sys


def main(data: str, alpha: str, out: str) -> None:
    from weka.classifiers import Classifier
    from weka.core import jvm
    from weka.core.converters import Loader

    jvm.start(packages=False, logging_level=40)
    try:
        rows = Loader("weka.core.converters.ArffLoader").load_file(data)
        rows.class_is_last()
        search = ["-D", "-Q", "weka.classifiers.bayes.net.search.local.TAN", "--", "-S", "ENTROPY"]
        estimate = ["-E", "weka.classifiers.bayes.net.estimate.SimpleEstimator", "--", "-A", alpha]
        net = Classifier("weka.classifiers.bayes.BayesNet", options=[*search, *estimate])
        net.build_classifier(rows)
        graph = net.graph
        given = {
            node: re.findall(r"<GIVEN>(.*?)</GIVEN>", body)
            for node, body in re.findall(r"<FOR>(.*?)</FOR>(.*?)</DEFINITION>", graph, re.S)
        }
        shares = [net.distribution_for_instance(row).tolist() for row in rows]
        labels = list(rows.class_attribute.values)
    finally:
        jvm.stop()
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"given": given, "shares": shares, "labels": labels}, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
