"""scikit-learn's own test files, run with the classes of lanatus under its names.

    python tools/sklearn_tests.py                 the files that use a name which both libraries have
    python tools/sklearn_tests.py tree ensemble   those of some of its packages
    python tools/sklearn_tests.py tree/tests/test_tree.py -k apply

The files come with its wheel. Before one is imported, every public name that both libraries have is ours in
scikit-learn's public modules; its private modules keep their own. It prints how many tests of each file pass and fail,
and each failure that the table below does not explain: such a one is a fault, and so is an explanation that nothing
needs any more. Then it ends with 1.
"""

import argparse
import ast
import fnmatch
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PRIVATE = "private detail"
DELIBERATE = "deliberate"
WORDING = "wording"
ABSENT = "part not written"

# What remains: (kind, why, patterns of "package/test_file.py::test").
_TREE, _EXPORT, _ORDER = "tree/test_tree.py::test_", "tree/test_export.py::test_", "tree/test_monotonic_tree.py::test_"
_FOREST, _BOOSTING = "ensemble/test_forest.py::test_", "ensemble/test_gradient_boosting.py::test_"
_BAGGING, _ADABOOST = "ensemble/test_bagging.py::test_", "ensemble/test_weight_boosting.py::test_"
_RIDGE, _MIXTURE = "linear_model/test_ridge.py::test_", "mixture/test_gaussian_mixture.py::test_"
_BAYES, _MEANS = "sklearn/test_naive_bayes.py::test_", "cluster/test_k_means.py::test_"
_KDE, _ANALYSIS = "neighbors/test_kde.py::test_", "sklearn/test_discriminant_analysis.py::test_"
_WRAPPED = "sklearn/test_multiclass.py::test_"
_STACKING, _VOTING = "ensemble/test_stacking.py::test_", "ensemble/test_voting.py::test_"
_ENCODERS, _IMPUTE = "preprocessing/test_encoders.py::test_", "impute/test_impute.py::test_"
_DESCENT, _LARS = "linear_model/test_coordinate_descent.py::test_", "linear_model/test_least_angle.py::test_"
_LOGISTIC, _SAG = "linear_model/test_logistic.py::test_", "linear_model/test_sag.py::test_"
_RANSAC = "linear_model/test_ransac.py::test_"
_GRAPH, _PROPAGATION = "cluster/test_spectral.py::test_", "cluster/test_affinity_propagation.py::test_"
_HDBSCAN, _OPTICS = "cluster/test_hdbscan.py::test_", "cluster/test_optics.py::test_"
_AGNES, _SHIFT = "cluster/test_hierarchical.py::test_", "cluster/test_mean_shift.py::test_"
_ISOLATION, _NEAR = "ensemble/test_iforest.py::test_", "neighbors/test_neighbors.py::test_"
_CENTROID, _FACTOR = "neighbors/test_nearest_centroid.py::test_", "neighbors/test_lof.py::test_"
_SVM, _FIXED = "svm/test_svm.py::test_", "model_selection/test_classification_threshold.py::test_"
_FROM_MODEL = "feature_selection/test_from_model.py::test_"
_METRICS, _RANKING = "metrics/test_common.py::test_", "metrics/test_ranking.py::test_"
_SCORERS = "metrics/test_score_objects.py::test_"
_SPARSE_DESCENT = "linear_model/test_sparse_coordinate_descent.py::test_"
KNOWN: list[tuple[str, str, tuple[str, ...]]] = [
    (DELIBERATE, "trees are drawn and written in our own way",
     (f"{_EXPORT}graphviz*", f"{_EXPORT}criterion_in*", f"{_EXPORT}precision", f"{_EXPORT}export_text*",
      f"{_EXPORT}plot_tree*")),
    (WORDING, "the error has other words",
     (f"{_ORDER}multi*_raises*", f"{_ORDER}bad_monotonic_cst_raises*", f"{_TREE}error", f"{_TREE}no_sparse_y_support*",
      f"{_TREE}min_sample_split_1_error*", f"{_FOREST}poisson_y_positive_check", f"{_FOREST}forest_y_sparse*",
      f"{_FOREST}max_samples_bootstrap*", f"{_BOOSTING}exponential_n_classes_gt_2", f"{_BOOSTING}raise_if_init*",
      f"{_STACKING}stacking_classifier_error*", f"{_STACKING}stacking_regressor_error*",
      f"{_STACKING}stacking_without_n_features_in*", f"{_STACKING}routing_passed_metadata_not_supported*",
      f"{_STACKING}metadata_routing_error*", f"{_VOTING}voting_classifier_estimator_init*", f"{_VOTING}sample_weight*",
      f"{_VOTING}routing_passed_metadata_not_supported*", f"{_VOTING}metadata_routing_error*",
      f"{_ADABOOST}adaboostclassifier_without_sample_weight", "ensemble/test_common.py::*_estimators_type*",
      "ensemble/test_common.py::*_name_validation*")),
    (PRIVATE, "looks at private parts, at node numbers or at the memory of scikit-learn's own trees",
     (f"{_TREE}huge_allocations", f"{_TREE}build_pruned_tree*", f"{_FOREST}importances_asymptotic",
      f"{_FOREST}distribution", f"{_FOREST}forest_multioutput_integral*", f"{_FOREST}memory_layout*",
      f"{_FOREST}validate_y_class_weight*", f"{_FOREST}class_weights_forest*", f"{_FOREST}oob_not_computed_twice*",
      f"{_FOREST}max_samples_geq_one*", f"{_FOREST}mse_criterion_object*", f"{_FOREST}backend_respected",
      f"{_BOOSTING}max_feature_regression*", f"{_BOOSTING}huber_overfit", f"{_BAGGING}max_samples_consistency",
      "ensemble/test_base.py::test_base")),
    (PRIVATE, "wants members to get the very container that came; ours get CSR rows",
     (f"{_BAGGING}sparse_*", f"{_ADABOOST}sparse_*")),
    (DELIBERATE, "warns that a value is deprecated, which here it is not",
     (f"{_TREE}friedman_mse_deprecation", f"{_FOREST}friedman_mse_deprecation*", f"{_BOOSTING}criterion_param*")),
    (DELIBERATE, "numbers are float64: values that float32 cannot tell apart or hold are told apart and held",
     (f"{_TREE}almost_constant_feature*", f"{_TREE}big_input")),
    (DELIBERATE, "numbers too large to be squared are refused", (f"{_TREE}empty_leaf_infinite_threshold*",)),
    (DELIBERATE, "missing values are taken in sparse matrices too", (f"{_TREE}missing_value_errors*",)),
    (DELIBERATE, "where children weigh the same a missing value goes to the first",
     (f"{_TREE}missing_values_best_splitter_on_equal*",)),
    (DELIBERATE, "outputs with different numbers of classes are judged out of bag too",
     (f"{_FOREST}classifier_error_oob_score_multiclass*",)),
    (DELIBERATE, "trees of a forest grow from the bins of all rows, and draw other numbers",
     (f"{_FOREST}estimators_samples*", f"{_VOTING}set_estimator_drop")),
    (DELIBERATE, "members get the rows that they drew, by weight or not, rather than weights of all",
     (f"{_BAGGING}draw_indices_using_sample_weight*", f"{_BAGGING}warning_bootstrap_sample_weight",
      f"{_BAGGING}invalid_sample_weight_max_samples*")),
    (DELIBERATE, "infinities are refused before a learner sees them", (f"{_BAGGING}bagging_*_with_missing_inputs",)),
    (DELIBERATE, "metadata is routed to fit, not to predict", (f"{_BAGGING}metadata_routing_with_dynamic*",)),
    (DELIBERATE, "boosting is by histograms with least leaves by default, so numbers differ, and rounds that could add "
     "nothing are left out",
     (f"{_BOOSTING}regression_dataset*", f"{_BOOSTING}regression_synthetic*", f"{_BOOSTING}serialization",
      f"{_BOOSTING}symbol_labels", f"{_BOOSTING}float_class_labels", f"{_BOOSTING}shape_y", f"{_BOOSTING}mem_layout",
      f"{_BOOSTING}oob_improvement*", f"{_BOOSTING}more_verbose_output", f"{_BOOSTING}verbose_output",
      f"{_BOOSTING}complete_*", f"{_BOOSTING}*_exact_backward_compat", f"{_BOOSTING}warm_start_oob_switch*")),
    (DELIBERATE, "one class, or few rows of one, is no error",
     (f"{_BOOSTING}single_class_with_sample_weight", f"{_BOOSTING}degenerate_targets",
      f"{_BOOSTING}early_stopping_stratified", f"{_BOOSTING}early_stopping_n_classes")),
    (DELIBERATE, "trees of earlier fits are shown with the parameters of the last",
     (f"{_BOOSTING}warm_start_max_depth*",)),
    (DELIBERATE, "a stump draws nothing and has no seed; a learner no better than chance ends the fit, as stop_reason_ "
     "tells; rows have two dimensions",
     (f"{_ADABOOST}iris", f"{_ADABOOST}estimator", f"{_ADABOOST}sample_weights_infinite",
      f"{_ADABOOST}multidimensional_X")),
    (DELIBERATE, "solver_ names what solved it, as sag, saga and sparse_cg are names for the same optimum",
     (f"{_RIDGE}ridge_regression[*-sparse_cg]", f"{_RIDGE}ridge_regression[*-sag*]", f"{_RIDGE}n_iter")),
    (DELIBERATE, "all solvers take sparse X with an intercept, and an active set needs no iterations",
     (f"{_RIDGE}ridge_fit_intercept_sparse_*", f"{_RIDGE}lbfgs_solver_error")),
    (ABSENT, "weights of 0 or more for wide sparse X are refused",
     (f"{_RIDGE}ridge_sample_weight_consistency*lbfgs-wide-csr*",)),
    (WORDING, "the error or warning has other words",
     (f"{_RIDGE}ridge_individual_penalties", f"{_MIXTURE}regularisation", f"{_MIXTURE}check_*",
      f"{_MIXTURE}gaussian_mixture_fit_convergence_warning",
      "mixture/test_mixture.py::test_mixture_n_components_greater*",
      "mixture/test_bayesian_mixture.py::test_bayesian_mixture_precisions_prior_initialisation",
      f"{_BAYES}gnb_neg_priors", f"{_BAYES}NB_partial_fit_no_first_classes*", f"{_BAYES}categoricalnb[*",
      f"{_BAYES}categoricalnb_min_categories_errors*", f"{_BAYES}alpha_vector", f"{_MEANS}wrong_params*",
      f"{_MEANS}kmeans_verbose*")),
    (PRIVATE, "calls private methods",
     (f"{_MIXTURE}gaussian_mixture_precisions_init*", f"{_MIXTURE}gaussian_mixture_all_init*",
      "mixture/test_bayesian_mixture.py::test_compare_covar_type", f"{_BAYES}gnb_check_update_with_no_data",
      f"{_BAYES}check_alpha", f"{_MEANS}kmeans_init_auto*", f"{_MEANS}n_init_auto*", f"{_MEANS}sample_weight_*",
      f"{_KDE}kde_algorithm_metric_choice[*kd_tree]", f"{_ANALYSIS}*_ledoitwolf*")),
    (DELIBERATE, "a label that is named twice in classes is one class, and codes are whole numbers",
     (f"{_BAYES}discretenb_provide_prior*",)),
    (DELIBERATE, "what changes nothing is not warned of", (f"{_MEANS}warning_*",)),
    (ABSENT, "distances on the sphere", (f"{_KDE}kde_algorithm_metric_choice[haversine*",)),
    (DELIBERATE, "all kernels can be drawn from, and weights, equal ones too, are drawn by",
     (f"{_KDE}kernel_density_sampling", f"{_KDE}kde_sample_weights")),
    (DELIBERATE, "classes with a singular covariance are given one (tol) instead of refused",
     (f"{_ANALYSIS}raises_value_error_on_one_sample*", f"{_ANALYSIS}qda_regularization*", f"{_ANALYSIS}qda[*")),
    (DELIBERATE, "probabilities of a row have the sum 1, whatever the learners say; one class is an error; codes have "
     "as many columns as they are worth",
     (f"{_WRAPPED}ovr_single_label_predict_proba_zero", f"{_WRAPPED}constant_int_target*",
      f"{_WRAPPED}ecoc_delegate*")),
    (WORDING, "the error or warning of a decomposition has other words",
     (f"{_WRAPPED}ovr_exceptions", f"{_WRAPPED}ovo_one_class", f"{_WRAPPED}ovo_partial_fit_predict",
      f"{_WRAPPED}ovr_always_present")),
    (WORDING, "the error of the solver 'svd' with shrinkage or an estimator has other words, and comes first",
     (f"{_ANALYSIS}lda_predict", f"{_ANALYSIS}qda_covariance_estimator")),
    (DELIBERATE, "a frame gives a frame, dense, with the names of its columns",
     (f"{_ENCODERS}one_hot_encoder_dtype_pandas*", f"{_ENCODERS}one_hot_encoder_pandas",
      f"{_ENCODERS}ohe_infrequent_multiple_categories_dtypes", f"{_ENCODERS}ohe_missing_value_support_pandas",
      f"{_ENCODERS}ohe_more_informative*", f"{_ENCODERS}one_hot_encoder_set_output", f"{_IMPUTE}simple_impute_pd_na",
      "preprocessing/test_function_transformer.py::test_consistence_column_name_between_steps")),
    (DELIBERATE, "of a frame with words only these are encoded; values of its columns are objects",
     (f"{_ENCODERS}encoder_dtypes_pandas", f"{_ENCODERS}*_missing_value_support_pandas_categorical*",
      f"{_ENCODERS}ordinal_encoder_encoded_missing_value_error*",
      f"{_ENCODERS}ordinal_encoder_infrequent_multiple_categories_dtypes")),
    (DELIBERATE, "columns of words are filled beside those of numbers, each in its way, instead of refused",
     (f"{_IMPUTE}imputation_mean_median_error_invalid_type*", f"{_IMPUTE}imputation_constant_pandas*")),
    (PRIVATE, "reads a private attribute", (f"{_IMPUTE}simple_imputer_constant_fill_value_casting",)),
    (DELIBERATE, "the k-means inside is ours too while this runs, which settles a tie of the farthest rows another way",
     ("preprocessing/test_discretization.py::test_nonuniform_strategies[kmeans*",)),
    (WORDING, "the error of n_bins has other words",
     ("preprocessing/test_discretization.py::test_invalid_n_bins_array",)),
    (DELIBERATE, "tol is the duality gap to stop at, and rounds stop there; scikit-learn's often end far below it, and "
     "agree to more digits",
     (f"{_DESCENT}enet_ols_consistency*", f"{_DESCENT}enet_ridge_consistency*", f"{_DESCENT}random_descent*",
      f"{_DESCENT}enet_sample_weight_consistency*", f"{_DESCENT}1d_multioutput_*_cv",
      f"{_DESCENT}elasticnet_precompute_gram_weighted_samples", f"{_LARS}lasso_lars_vs_lasso_cd",
      f"{_LARS}lasso_lars_vs_lasso_cd_positive", f"{_SPARSE_DESCENT}same_output_sparse_dense_lasso_and_enet_cv*")),
    (PRIVATE, "counts rounds, or wants what a few of them come to: working sets and products of columns take others",
     (f"{_DESCENT}warm_start", f"{_DESCENT}warm_start_convergence*", f"{_DESCENT}warm_start_multitask_lasso",
      f"{_LOGISTIC}newton_cholesky_fallback_to_lbfgs")),
    (DELIBERATE, "rows are always checked: there is no check_input",
     (f"{_DESCENT}check_input_false", f"{_DESCENT}enet_copy_X_*", f"{_DESCENT}enet_path_check_input_false*",
      f"{_DESCENT}enet_sample_weight_does_not_overwrite_sample_weight*")),
    (DELIBERATE, "X is never changed, copy_X or not",
     ("linear_model/test_base.py::test_inplace_data_preprocessing*",)),
    (WORDING, "the error or warning of a linear model has other words",
     (f"{_DESCENT}cv_estimators_reject_params*", f"{_DESCENT}elasticnet_precompute_incorrect_gram",
      f"{_DESCENT}enet_coordinate_descent_raises_convergence*", f"{_DESCENT}enet_l1_ratio",
      f"{_DESCENT}enet_nonfinite_params", f"{_DESCENT}lasso_alpha_warning", f"{_DESCENT}lassocv_alphas_validation*",
      f"{_DESCENT}multi_task_lasso_and_enet", f"{_DESCENT}path_unknown_parameter*",
      f"{_SPARSE_DESCENT}sparse_enet_coordinate_descent*", f"{_LOGISTIC}max_iter*",
      f"{_SAG}classifier_single_class", f"{_SAG}sag_classifier_raises_error*",
      "linear_model/test_base.py::test_raises_value_error_if_positive_and_sparse")),
    (DELIBERATE, "what is deprecated there is not here, and not warned of",
     (f"{_DESCENT}path_function_deprecated_n_alphas*", f"{_LOGISTIC}l1_ratio_None_deprecated",
      f"{_LOGISTIC}logisticregression_warns_with_n_jobs", f"{_LOGISTIC}penalty_deprecated*")),
    (PRIVATE, "replaces or calls private functions, or a class of which scikit-learn asks whether it is its own",
     (f"{_DESCENT}lassoCV_does_not_set_precompute*", f"{_LOGISTIC}logistic_cv_multinomial_score*",
      f"{_LOGISTIC}logreg_predict_proba_multinomial*", f"{_SAG}step_size_alpha_error",
      f"{_RANSAC}perfect_horizontal_line", f"{_RANSAC}ransac_min_n_samples", f"{_RANSAC}ransac_no_valid_*",
      f"{_RANSAC}ransac_*exceed_max_skips")),
    (DELIBERATE, "columns that enter at once, or depend on those in use, are told apart: it needs neither noise nor an "
     "early end",
     (f"{_LARS}lars_with_jitter*", f"{_LARS}lasso_lars_vs_lasso_cd_ill_conditioned2")),
    (DELIBERATE, "every solver finds the one optimum, with a free intercept, of any number of classes, for float32 in "
     "float32; the docstring says what liblinear means",
     (f"{_LOGISTIC}check_solver_option*", f"{_LOGISTIC}consistency_path*", f"{_LOGISTIC}dtype_match*liblinear]",
      f"{_LOGISTIC}large_sparse_matrix*", f"{_LOGISTIC}liblinear_*", f"{_SAG}*computed_correctly*",
      f"{_SAG}binary_classifier_class_weight*")),
    (PRIVATE, "compares with LogisticRegressionCV of scikit-learn, whose optimum is as near as its own tol",
     (f"{_LOGISTIC}logistic_cv[*", f"{_LOGISTIC}logistic_regression_cv_refit*")),
    (DELIBERATE, "callbacks hear of the rounds of every solver, as they end, without the empty one of SciPy's L-BFGS",
     (f"{_LOGISTIC}logistic_regression_callback_*",)),
    (DELIBERATE, "no rounds are no fit, and the default l1_ratio is no contradiction to a penalty that is named",
     (f"{_LOGISTIC}zero_max_iter*", f"{_LOGISTIC}lr_penalty_l1ratio_incompatible*")),
    (DELIBERATE, "nothing is printed: callbacks tell of every round",
     (f"{_GRAPH}verbose*", f"{_MEANS}minibatch_declared*")),
    (DELIBERATE, "a graph in as many pieces as clusters are wanted is no fault", (f"{_GRAPH}affinities*",)),
    (PRIVATE, "reads a private attribute, or the nodes of scikit-learn's own trees",
     ("cluster/test_birch.py::*", f"{_HDBSCAN}labelling_distinct*", f"{_MEANS}minibatch_kmeans_init_size",
      f"{_ISOLATION}recalculate_max_depth", f"{_ISOLATION}max_samples_consistency", f"{_ISOLATION}iforest_warm_start",
      f"{_ISOLATION}iforest_chunks_works*", f"{_FACTOR}lof(float64)", f"{_FACTOR}lof_precomputed*",
      f"{_NEAR}auto_algorithm*", f"{_SVM}svc_raises_error_internal*", f"{_SVM}tweak_params",
      f"{_SHIFT}estimate_bandwidth_1sample*")),
    (DELIBERATE, "a score may be shared by two of fifty rows, and then they are outliers both or neither",
     (f"{_ISOLATION}iforest_sparse_input_float_contamination*",)),
    (WORDING, "the error or warning has other words",
     (f"{_ISOLATION}iforest_error", f"{_ISOLATION}max_samples_attribute", f"{_PROPAGATION}*non_convergence_regr*",
      f"{_HDBSCAN}hdbscan_distance_matrix", f"{_HDBSCAN}hdbscan_precomputed_non_brute*",
      f"{_HDBSCAN}hdbscan_precomputed_dense_nan", f"{_AGNES}invalid_shape_precomputed*", f"{_OPTICS}bad_extract",
      f"{_OPTICS}bad_reachability", f"{_NEAR}neighbors_minkowski_semimetric_algo_error*",
      f"{_NEAR}nearest_neighbors_validate_params", f"{_FACTOR}novelty_errors",
      f"{_SVM}negative_sample_weights_mask_all*", f"{_SVM}negative_weights_svc_leave_just_one*",
      f"{_SVM}svc_nonfinite_params*", f"{_SVM}libsvm_convergence_warnings*",
      "ensemble/test_gradient_boosting.py::test_gradient_boosting_with_init_pipeline",
      f"{_FIXED}fixed_threshold_classifier_classes_", f"{_RANKING}roc_curve_toydata",
      f"{_METRICS}continuous_inf_nan_input*")),
    (DELIBERATE, "weights below 0 are refused", ("cluster/test_dbscan.py::test_weighted_dbscan*",
      f"{_SVM}negative_weight*")),
    (DELIBERATE, "the parameter that is given twice is not warned of, the one of metric_params counts",
     ("cluster/test_dbscan.py::test_dbscan_metric_params", f"{_NEAR}metric_params_interface")),
    (DELIBERATE, "rows with holes or infinities are refused, not labelled",
     (f"{_HDBSCAN}outlier_data*", f"{_HDBSCAN}dbscan_clustering_outlier*", f"{_HDBSCAN}hdbscan_sparse(*",
      f"{_HDBSCAN}hdbscan_usable_inputs(kwargs0*")),
    (DELIBERATE, "trees know more distances: cosine, Mahalanobis and others become Euclidean",
     (f"{_HDBSCAN}hdbscan_algorithms*", f"{_HDBSCAN}hdbscan_cosine_metric*", f"{_HDBSCAN}hdbscan_tree_invalid*",
      f"{_NEAR}neighbors_metrics*")),
    (DELIBERATE, "fewer rows than a neighbourhood wants are noise; a neighbour's self is not counted",
     (f"{_HDBSCAN}hdbscan_too_many_min_samples", f"{_OPTICS}minimum_number_of_sample*",
      f"{_OPTICS}min_cluster_size_invalid2*", f"{_NEAR}precomputed_sparse_invalid*", f"{_FACTOR}lof_error_n_neigh*")),
    (DELIBERATE, "what is or will be deprecated there is not here",
     (f"{_HDBSCAN}hdbscan_default_copy*", f"{_SVM}probability_raises_futurewarning*", f"{_SVM}*probA_probB*")),
    (DELIBERATE, "the whole tree is made, with its distances, and clusters are numbered by their first rows",
     (f"{_AGNES}agglomerative_clustering_distances*", f"{_AGNES}compute_full_tree",
      f"{_AGNES}agglomerative_clustering_with_distance_threshold(*")),
    (DELIBERATE, "X is converted without a warning", (f"{_OPTICS}warn_if_metric_bool*",)),
    (DELIBERATE, "all seeds that still climb when the rounds are over count", (f"{_SHIFT}max_iter(1)",)),
    (DELIBERATE, "similarities that are not there are unknown, not 0",
     (f"{_PROPAGATION}affinity_propagation_precomputed_with_sparse*",)),
    (DELIBERATE, "a distance is named or a function, and rows are given, not a search over them",
     (f"{_NEAR}*DM_euclidean*", f"{_NEAR}neigh_predictions_algorithm_agnosticity*DistanceMetric*",
      f"{_NEAR}unsupervised_inputs*")),
    (DELIBERATE, "labels of outliers that no row has are classes without neighbours, not warned of",
     (f"{_NEAR}radius_neighbors_classifier_outlier_labeling*",)),
    (DELIBERATE, "sparse targets become dense", (f"{_NEAR}kneighbors_regressor_sparse",)),
    (DELIBERATE, "sparse rows know Euclidean, Manhattan and cosine distances and functions; medians need dense rows",
     (f"{_NEAR}neighbors_validate_parameters*", f"{_CENTROID}manhattan_metric*")),
    (DELIBERATE, "p below 1 is no distance and is refused, as are matrices that have eigenvalues below 0",
     (f"{_NEAR}neighbors_minkowski_semimetric_algo_warn*", f"{_NEAR}nearest_neighbours_works_with_p*",
      f"{_NEAR}kneighbors_brute_backend*mahalanobis*", f"{_NEAR}radius_neighbors_brute_backend*mahalanobis*")),
    (DELIBERATE, "of equal rows the lowest is the neighbour", (f"{_NEAR}k_and_radius_neighbors_duplicates*",)),
    (DELIBERATE, "where all neighbours weigh nothing they weigh alike",
     (f"{_NEAR}KNeighborsClassifier_raise_on_all*",)),
    (DELIBERATE, "columns that do not vary say nothing about the classes, and priors are scaled to the sum 1; "
     "probabilities follow any distance",
     (f"{_CENTROID}features_zero_var", f"{_CENTROID}error_zero_variances*", f"{_CENTROID}warn_non_normalized*",
      f"{_CENTROID}method_not_available*")),
    (DELIBERATE, "break_ties that could not be heeded is refused in fit; ties of votes go to the sum of values",
     (f"{_SVM}decision_function_shape*", f"{_SVM}svc_invalid_break_ties*", f"{_SVM}svc_ovr_tie_breaking*")),
    (DELIBERATE, "a kernel that is a function gets numbers, and must give a matrix of the right shape",
     (f"{_SVM}svr_errors", f"{_SVM}custom_kernel_not_array*")),
    (DELIBERATE, "dual_coef_ is dense and coef_ an array like any other; C=inf is the hard margin of classes",
     (f"{_SVM}sparse_fit_support_vectors_empty*", f"{_SVM}immutable_coef_property*",
      f"{_SVM}svm_with_infinite_C*SVR*")),
    (DELIBERATE, "LIL matrices are taken", (f"{_SVM}bad_input*",)),
    (DELIBERATE, "whether there are probabilities is known once fit has learned them",
     (f"{_SVM}hasattr_predict_proba*",)),
    (DELIBERATE, "fit looks at the columns, prefit or not, and more rows are learned in a copy; infinities are refused",
     (f"{_FROM_MODEL}prefit", f"{_FROM_MODEL}prefit_max*", f"{_FROM_MODEL}partial_fit",
      f"{_FROM_MODEL}transform_accepts_nan_inf")),
    (PRIVATE, "its model has no fit, or its attributes raise what only scikit-learn's own functions do",
     (f"{_FROM_MODEL}allow_nan_tag*", f"{_FROM_MODEL}from_model_estimator_attribute_error")),
    (DELIBERATE, "nothing but X and y is given to the learner",
     ("feature_selection/test_sequential.py::test_fit_rejects_params*",)),
    (DELIBERATE, "explanations have arguments of their own (tests/conformance/test_drop_in.py)", ("inspection/*::*",)),
    (DELIBERATE, "hinge_loss is the function of figure 6.5, of a margin", ("metrics/*::*hinge_loss*",)),
    (DELIBERATE, "a threshold may be balanced, which needs probabilities; the learner is what fit has cloned",
     (f"{_FIXED}fixed_threshold_classifier*", f"{_FIXED}threshold_classifier_estimator_response*")),
    (DELIBERATE, "the intercept bears no penalty, so that no scaling weakens it",
     ("svm/test_bounds.py::test_l1_min_c*",)),
]  # fmt: skip

REPORT = "LANATUS_SKLEARN_REPORT"  # names the file that the plugin writes outcomes to


# ---------------------------------------------------------------- equal names


def _public_modules(package: str) -> Iterator[Any]:
    """The packages and modules of a library that its users import from."""
    library = importlib.import_module(package)
    for found in pkgutil.iter_modules(library.__path__):
        if not found.name.startswith("_") and found.name not in ("conftest", "tests"):
            yield importlib.import_module(f"{package}.{found.name}")


def equal_names() -> dict[str, tuple[Any, Any]]:
    """Classes and functions of one public name in both libraries: ours and scikit-learn's.

    What we borrow from scikit-learn is no other thing, and not among them.
    """
    theirs = {name: one for module in _public_modules("sklearn") for name, one in _offers(module)}
    return {
        name: (ours, theirs[name])
        for module in _public_modules("lanatus")
        for name, ours in _offers(module)
        if name in theirs and ours is not theirs[name]
    }


def _offers(module: Any) -> Iterator[tuple[str, Any]]:
    """Public classes and functions of a module; what is experimental raises until it is asked for."""
    for name in getattr(module, "__all__", ()):
        try:
            one = getattr(module, name)
        except ImportError:
            continue
        if callable(one):
            yield name, one


def put_ours_in_place() -> None:
    """Ours under scikit-learn's public names; all of our modules are imported before, so that they keep theirs."""
    lanatus = importlib.import_module("lanatus")
    for found in pkgutil.walk_packages(lanatus.__path__, "lanatus."):
        importlib.import_module(found.name)
    # Generators of data call scikit-learn's by these very names.
    pairs = {name: pair for name, pair in equal_names().items() if not pair[0].__module__.startswith("lanatus.data")}
    for module in _public_modules("sklearn"):
        for name, one in _offers(module):
            if name in pairs and one is pairs[name][1]:
                setattr(module, name, pairs[name][0])


# ---------------------------------------------------------------- inside pytest


class Reporter:
    """Writes the outcome of each test, with the last line of what went wrong, as a line of JSON."""

    def __init__(self, path: str) -> None:
        self.path = path

    def pytest_runtest_logreport(self, report: Any) -> None:
        """One line for what failed in any phase, and for each call that did not."""
        if report.when != "call" and report.outcome == "passed":
            return
        crash = getattr(report.longrepr, "reprcrash", None)
        said = crash.message.splitlines()[0] if crash is not None and crash.message else ""
        with open(self.path, "a") as out:
            out.write(json.dumps({"test": report.nodeid, "outcome": report.outcome, "said": said}) + "\n")


def pytest_configure(config: Any) -> None:
    """What pytest calls on this file as a plugin, before it imports a test."""
    put_ours_in_place()
    if REPORT in os.environ and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Reporter(os.environ[REPORT]))


# ---------------------------------------------------------------- from outside


def test_files(wanted: list[str]) -> list[Path]:
    """Test files of scikit-learn that import an equal name, of some packages or of all; or those that are named."""
    root = Path(importlib.import_module("sklearn").__file__).parent
    if named := [root / one for one in wanted if one.endswith(".py")]:
        return named
    names = set(equal_names())
    public = [path for path in sorted(root.rglob("test_*.py")) if "/_" not in str(path.relative_to(root))]
    return [
        path
        for path in public
        if (not wanted or path.relative_to(root).parts[0] in wanted) and names & set(_imported(path))
    ]


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
            yield from (alias.name for alias in node.names)


def run(path: Path, pytest_arguments: list[str]) -> list[dict[str, str]]:
    """Outcomes of the tests of a file."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        report.touch()
        command = [sys.executable, "-m", "pytest", "-p", Path(__file__).stem, "-p", "no:cacheprovider", "-q"]
        command += ["-c", os.devnull, "--rootdir", str(path.parents[2]), str(path), *pytest_arguments]
        paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        environment = os.environ | {"PYTHONPATH": paths, REPORT: str(report)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        outcomes = [json.loads(line) for line in report.read_text().splitlines()]
        if done.returncode > 1:
            outcomes.append({"test": str(path), "outcome": "failed", "said": done.stdout[-2000:] + done.stderr[-2000:]})
    package = path.parent.parent.name
    for one in outcomes:
        one["test"] = f"{package}/{one['test'].rpartition('/')[2]}"
    return outcomes


def explained(test: str) -> int | None:
    """Place in the table of what explains a failure."""
    for place, (_, _, patterns) in enumerate(KNOWN):
        if any(fnmatch.fnmatchcase(_plain(test), _plain(pattern)) for pattern in patterns):
            return place
    return None


def _plain(text: str) -> str:
    """Brackets are part of the names of tests, not of a pattern."""
    return text.replace("[", "(").replace("]", ")")


def main() -> int:
    """Run the files, print the counts; 1 if a failure has no explanation, or an explanation no failure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wanted", nargs="*", help="packages of scikit-learn, or files in it; all by default")
    parser.add_argument("-v", "--verbose", action="store_true", help="tell the explained failures too")
    arguments, for_pytest = parser.parse_known_args()
    total: Counter[str] = Counter()
    faults, needed, files = [], set(), test_files(arguments.wanted)
    for path in files:
        outcomes = run(path, for_pytest)
        counts = Counter(one["outcome"] for one in outcomes)
        failed = [one for one in outcomes if one["outcome"] == "failed"]
        kinds = Counter(KNOWN[at][0] for one in failed if (at := explained(one["test"])) is not None)
        needed |= {explained(one["test"]) for one in failed}
        total += counts + kinds
        share = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())) or "none explained"
        print(f"{path.parent.parent.name}/{path.name}: {counts['passed']} passed, {counts['skipped']} skipped, "
              f"{counts['failed']} failed ({share})", flush=True)  # fmt: skip
        for one in failed:
            at = explained(one["test"])
            if at is None or arguments.verbose:
                print(f"    {KNOWN[at][0] if at is not None else 'FAULT'}: {one['test']}\n        {one['said'][:160]}")
            if at is None:
                faults.append(one["test"])
    whole = "-k" not in for_pytest
    ran = {f"{path.parent.parent.name}/{path.name}" for path in files}
    spare = [
        why
        for at, (_, why, patterns) in enumerate(KNOWN)
        if at not in needed and whole and all(pattern.partition("::")[0] in ran for pattern in patterns)
    ]
    for why in spare:
        print(f"needed no more: {why}")
    print(f"all: {total['passed']} passed, {total['failed']} failed, of which {total[PRIVATE]} for a {PRIVATE}, "
          f"{total[DELIBERATE]} {DELIBERATE}, {total[WORDING]} for {WORDING}, {total[ABSENT]} for a {ABSENT}; "
          f"{len(faults)} faults")  # fmt: skip
    return bool(faults or spare)


if __name__ == "__main__":
    sys.exit(main())
