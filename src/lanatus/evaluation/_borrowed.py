"""What scikit-learn has for chapter 2, offered as it is: its entries in the catalogue."""

from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    confusion_matrix,
    f1_score,
    fbeta_score,
    mean_squared_error,
    precision_recall_curve,
    precision_score,
    recall_score,
    roc_curve,
    zero_one_loss,
)
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    learning_curve,
    train_test_split,
    validation_curve,
)

from lanatus.catalog import borrow

# (what, ids of methods.csv, section, task, English, Chinese)
_OFFERED: list[tuple[object, list[str], str, str, str, str]] = [
    (zero_one_loss, ["evaluation.error-rate"], "2.1", "measure", "Error rate", "错误率"),
    (accuracy_score, ["evaluation.accuracy"], "2.1", "measure", "Accuracy", "精度"),
    (learning_curve, ["evaluation.learning-curve"], "2.1", "measure", "Learning curve", "学习曲线"),
    (
        validation_curve,
        ["evaluation.fitting-curve"],
        "2.1",
        "measure",
        "Over- and underfitting curve",
        "过拟合与欠拟合曲线",
    ),
    (
        train_test_split,
        ["evaluation.holdout", "evaluation.stratified-sampling"],
        "2.2.1",
        "splitting",
        "Hold-out and stratified hold-out",
        "留出法与分层采样",
    ),
    (StratifiedShuffleSplit, ["evaluation.repeated-holdout"], "2.2.1", "splitting", "Repeated hold-out", "多次留出法"),
    (StratifiedKFold, ["evaluation.kfold"], "2.2.2", "splitting", "k-fold cross-validation", "k折交叉验证"),
    (
        RepeatedStratifiedKFold,
        ["evaluation.repeated-kfold"],
        "2.2.2",
        "splitting",
        "p times k-fold cross-validation",
        "p次k折交叉验证",
    ),
    (LeaveOneOut, ["evaluation.leave-one-out"], "2.2.2", "splitting", "Leave-one-out", "留一法"),
    (
        GridSearchCV,
        ["evaluation.grid-search", "evaluation.final-refit"],
        "2.2.4",
        "tuning",
        "Grid search, then refit on all data",
        "网格搜索调参与重训练",
    ),
    (mean_squared_error, ["evaluation.mean-squared-error"], "2.3", "measure", "Mean squared error", "均方误差"),
    (confusion_matrix, ["evaluation.confusion-matrix"], "2.3.2", "measure", "Confusion matrix", "混淆矩阵"),
    (precision_score, ["evaluation.precision"], "2.3.2", "measure", "Precision", "查准率"),
    (recall_score, ["evaluation.recall"], "2.3.2", "measure", "Recall", "查全率"),
    (precision_recall_curve, ["evaluation.pr-curve"], "2.3.2", "measure", "Precision-recall curve", "P-R曲线"),
    (average_precision_score, ["evaluation.pr-area"], "2.3.2", "measure", "Area under the P-R curve", "P-R曲线下面积"),
    (f1_score, ["evaluation.f1"], "2.3.2", "measure", "F1", "F1度量"),
    (fbeta_score, ["evaluation.f-beta"], "2.3.2", "measure", "F-beta", "Fβ度量"),
    (roc_curve, ["evaluation.roc-curve"], "2.3.3", "measure", "ROC curve", "ROC曲线"),
]

for _thing, _ids, _section, _task, _en, _zh in _OFFERED:
    borrow(_thing, *_ids, home="lanatus.evaluation", section=_section, task=_task, en=_en, zh=_zh)
