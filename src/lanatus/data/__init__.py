"""Data: tables of mixed attributes, readers, sources, the books' data sets, generators, encoders."""

from lanatus._lazy import lazy

_HOME = {
    "_schema": ["Column", "Schema"],
    "_table": ["Table", "UnseenCategoryWarning"],
    "_errors": ["DataError"],
    "_csv": ["read_csv"],
    "_arff": ["read_arff", "write_arff"],
    "_libsvm": ["dump_svmlight_file", "load_svmlight_file"],
    "_read": ["read", "write"],
    "_scan": ["Source", "scan"],
    "_scaling": ["MinMaxScaler", "StandardScaler"],
    "_encoding": ["OneHotEncoder", "OrdinalEncoder"],
    "_discretize": ["KBinsDiscretizer"],
    "_watermelon": ["load_watermelon"],
    "_book_tables": [
        "load_book_ratings",
        "load_city_distances",
        "load_loan",
        "load_sex_table",
        "load_svm_three_points",
    ],
    "_learner_tables": [
        "load_algorithm_comparison",
        "load_critical_values",
        "load_ecoc_codes",
        "load_fusion_tables",
        "load_voting_toy",
    ],
    "_watering": ["load_watering_mdp"],
    "_graphs": ["load_graph"],
    "_logic_gate": ["make_logic_gate"],
    "_shapes": ["make_blobs", "make_circles", "make_ellipse", "make_moons", "make_rings", "make_spirals"],
    "_manifolds": ["make_s_curve", "make_swiss_roll"],
    "_views": ["make_two_views"],
    "_signals": ["make_regression_outliers", "make_sparse_signal"],
    "_mnist": ["load_mnist"],
    "_yale": ["load_yale_faces"],
    "_uci": ["fetch_uci"],
    "_impute": ["KNNImputer", "SimpleImputer"],
    "_clean": ["TableCleaner"],
}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
