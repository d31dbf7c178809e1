"""Ensembles: boosting, bagging, forests, combination, diversity and selection (chapter 8)."""

from lanatus._lazy import lazy

_HOME = {
    "_adaboost": ["AdaBoostClassifier", "AdaBoostRegressor"],
    "_averaging": ["VotingRegressor"],
    "_bagging": ["BaggingClassifier", "BaggingRegressor"],
    "_bayes_averaging": ["BayesModelAveraging"],
    "_boost_theory": [
        "adaboost_alpha",
        "adaboost_training_bound",
        "ensemble_error",
        "ensemble_error_hoeffding",
        "exponential_loss_minimizer",
    ],
    "_borrowed": ["CalibratedClassifierCV", "IsotonicRegression"],
    "_diversity": ["diversity", "error_ambiguity"],
    "_diversity_plots": ["kappa_error_diagram", "plot_diversity"],
    "_dynamic_selection": ["DynamicClassifierSelection"],
    "_experts": ["MixtureOfExperts", "MixtureOfExpertsRegressor"],
    "_extra_trees": ["ExtraTreesClassifier", "ExtraTreesRegressor"],
    "_filtering": ["BoostByFilter"],
    "_fusion": ["borda_count", "dempster_combine", "sum_rule"],
    "_gasen": ["GASEN"],
    "_gradient_boosting": ["GradientBoostingClassifier", "GradientBoostingRegressor"],
    "_iterative_bagging": ["IterativeBaggingRegressor"],
    "_knn_ensemble": ["KNNEnsembleClassifier"],
    "_logit_boost": ["LogitBoostClassifier"],
    "_lp_boost": ["LPBoostClassifier"],
    "_margins": ["margin_distribution"],
    "_multi_boost": ["MultiBoostClassifier"],
    "_negative_correlation": ["NegativeCorrelationEnsemble", "NegativeCorrelationRegressor"],
    "_output_perturbation": ["FlippingOutputClassifier", "OutputSmearingClassifier", "OutputSmearingRegressor"],
    "_pairwise": ["correlation_coefficient", "disagreement", "kappa_statistic", "q_statistic"],
    "_parameter_perturbation": ["ParameterPerturbationClassifier"],
    "_pruning": ["prune_ensemble"],
    "_random_forest": ["RandomForestClassifier", "RandomForestRegressor"],
    "_random_subspace": ["RandomSubspaceClassifier", "RandomSubspaceRegressor"],
    "_stacked_regression": ["StackingRegressor"],
    "_stacking": ["StackingClassifier"],
    "_twice_learning": ["NeC45Classifier", "twice_learning"],
    "_voting": ["VotingClassifier"],
}

__all__, __getattr__, __dir__ = lazy(__name__, _HOME)
