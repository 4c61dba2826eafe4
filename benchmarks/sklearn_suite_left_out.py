"""The tests of scikit-learn's that are left out, by reason: (end of the file's name, pattern of the test's)."""

from __future__ import annotations

SGD = "test_sgd.py"
LOGISTIC, RIDGE, SVM, BAYES = "test_logistic.py", "test_ridge.py", "test_svm.py", "test_naive_bayes.py"
GLM, BASE = "test_glm.py", "test_base.py"
# with and without "sparse_"
COORDINATES = "coordinate_descent.py"

LEFT_OUT: dict[str, tuple[tuple[str, str], ...]] = {
    "the wording of one solver's own message that it did not converge": ((LOGISTIC, r"^test_max_iter\["),),
    "scikit-learn's announcements of parameters and classes that it is about to remove": (
        ("test_passive_aggressive.py", r"^test_class_deprecation"),
        (SGD, r"^test_power_t_limits"),
        (LOGISTIC, r"^test_penalty_deprecated|^test_l1_ratio_None_deprecated|_warns_with_n_jobs"),
        (LOGISTIC, r"^test_logisticregressioncv_warns_with_use_legacy|^test_lr_scoring_warns"),
        (RIDGE, r"^test_regularization_limits_ridge_gcv\[csr.*-svd-"),
    ),
    "calls private functions of scikit-learn's class, or reads its private attributes": (
        ("test_passive_aggressive.py", r"^test_classifier_(accuracy|partial_fit)\[.*True\]"),
        (
            LOGISTIC,
            r"^test_logreg_predict_proba_multinomial|^test_logistic_cv_multinomial_score|^test_get_default_scorer",
        ),
        (SGD, r"^test_plain_has_no_average_attr|^test_loss_function_epsilon|^test_validation_mask_correctly"),
        (BAYES, r"^test_check_alpha|^test_alpha_vector|^test_check_update_with_no_data"),
        (GLM, r"^test_tweedie_link_(argument|auto)"),
        (COORDINATES, r"^test_lassoCV_does_not_set_precompute"),
    ),
    "counts the iterations of SciPy's L-BFGS through callbacks, an experiment of scikit-learn 1.9": (
        (LOGISTIC, r"^test_logistic_regression_callback_"),
    ),
    "which of many optima a solver ends at, without a penalty": (
        (GLM, r"^test_glm_regression_unpenalized.*\[wide.*-False-lbfgs\]"),
        (GLM, r"^test_glm_regression_unpenalized_hstacked_X\[long.*newton-cholesky\]"),
    ),
    "asks that X be overwritten where it need not be copied, or be taken unchecked": (
        (BASE, r"^test_inplace_data_preprocessing"),
        (COORDINATES, r"^test_check_input_false|^test_enet_copy_X_False_check_input_False"),
    ),
    "the table of pairs of columns that scikit-learn's solver is given, and linnet's does not read": (
        (COORDINATES, r"^test_elasticnet_precompute_incorrect_gram|^test_overridden_gram_matrix"),
    ),
    "asks that solver_ be one that linnet does not run (the weights are tested for those that it has)": (
        (RIDGE, r"^test_ridge_regression\[.*(sag|saga|lsqr|sparse_cg)\]"),
    ),
    "what a solver of scikit-learn's cannot do (64-bit indices, large values, an intercept of sparse rows), and its "
    "random numbers": (
        (RIDGE, r"^test_ridge_fit_intercept_sparse_(error|sag)|^test_lbfgs_solver_error"),
        (LOGISTIC, r"^test_large_sparse_matrix.*(liblinear|saga?)\]|^test_liblinear_with_large_values"),
        (LOGISTIC, r"^test_liblinear_dual_random_state|^test_dtype_match.*liblinear"),
        (COORDINATES, r"^test_lasso_alpha_warning"),
        ("test_quantile.py", r"^test_error_interior_point_future"),
        (GLM, r"^test_linalg_warning_with_newton_solver"),
    ),
    "asks for the very steps of Newton's method without a penalty, where linnet takes L-BFGS": (
        (LOGISTIC, r"^test_warm_start_newton_solver\[inf"),
    ),
    "expects that a solver needs more iterations than linnet's": (
        (SVM, r"^test_linear_svm_convergence_warnings"),
        (COORDINATES, r"^test_warm_start_convergence|^test_enet_coordinate_descent_raises_convergence"),
        (COORDINATES, r"^test_sparse_enet_coordinate_descent"),
    ),
    "a solver of scikit-learn's that falls back to another of its own": (
        (LOGISTIC, r"^test_newton_cholesky_fallback_to_lbfgs"),
    ),
}
