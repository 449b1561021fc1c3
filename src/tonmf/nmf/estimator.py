"""`TONMF`: the paper's model as a scikit-learn estimator."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tonmf.arrays import Array
from tonmf.attached import Attached
from tonmf.errors import InputError
from tonmf.nmf.blocks import Block, Executor, SerialExecutor, Source
from tonmf.nmf.in_memory import MatrixSource, default_block_size
from tonmf.nmf.inner import INNER_METHODS
from tonmf.nmf.mixture import Mixture
from tonmf.nmf.objective import outlier_norms, shrink
from tonmf.nmf.ops import Ops
from tonmf.nmf.options import MIXTURE_SCORES, MODEL_RULES, check_model_parameters
from tonmf.nmf.penalty import Ramp
from tonmf.nmf.remembered import ModelStream, learn_rows
from tonmf.nmf.saved import model_arrays, model_fields, read_model
from tonmf.nmf.signs import OutlierSigns
from tonmf.nmf.solver import Options, Problem, Progress, Solution, solve
from tonmf.nmf.starts import STARTS, Start, at_unit_norm, term_sums
from tonmf.nmf.steps import Pass, TopicMatrix, document_step
from tonmf.nmf.threads import CPU, make_ops, one_blas_thread
from tonmf.nmf.threshold import automatic_threshold, threshold_for_share
from tonmf.nmf.validation import as_dtype, check_n_topics, check_rows, check_sample_weight, check_start, keep_columns
from tonmf.parameters import defaults_of
from tonmf.storage.bundles import Bundle, provenance, write_bundle
from tonmf.storage.parameters import kept_parameters, restored_parameters
from tonmf.stream.clock import Clock
from tonmf.stream.half_life import age, half_life_of

STALLED = 0.99
"""Rank correlation of first and last residuals above which a fit has stayed at its start."""


class TONMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, OutlierSigns, BaseEstimator):  # type: ignore[misc]
    """Outlier detection by a robust non-negative matrix factorisation.

    A few topics explain the rows of a sparse non-negative matrix; a row that they cannot explain is an outlier.
    The model is that of Kannan, Woo, Aggarwal and Park, "Outlier Detection for Text Data":

        min  ½‖X − H Wᵀ − Z‖²_F + α Σ_i ‖z_i‖₂ + β Σ H      over H ≥ 0, W ≥ 0, Z

    with topics W of unit norm. Z is never stored: a row's share in it follows from its residual norm
    ρ_i = ‖x_i − h_i Wᵀ‖ alone. A row with ρ_i > α counts only α/ρ_i in the fit, so that outliers do not bend the topics.

    Parameters
    ----------
    n_topics : int or "auto", optional
        Number of topics. If not given, 10, or fewer if X is smaller. "auto": topics must earn their place. The fit starts from
        `max_topics` and drops those that do not carry the share that `topic_share` asks for (`tonmf.nmf.penalty`).
    max_topics : int
        Topics that a fit with n_topics="auto" starts from.
    topic_share : float
        How common a topic must be for n_topics="auto" to keep it: its price, as a share of all that the topics explain.
        With rows of unit norm, 0.0075 keeps topics of a few percent of the rows, 0.03 only the large ones.
    alpha : float or "auto"
        The residual norm above which a row is weighted down; ``np.inf`` gives plain NMF. "auto" takes the 0.9-quantile of
        the residual norms, re-estimated over the first 10 iterations and then fixed.
    beta : float
        Weight of the ℓ1 penalty on the rows' topics, with topics at unit norm.
    solver : {"reweighted", "paper"}
        Two solvers for the same objective. "reweighted" minimises the tightest quadratic above it and is far faster when α is
        small; "paper" is Algorithm 1 of the paper, with Z held during an inner loop.
    inner : {"hals", "anls", "scalar"}
        The block coordinate descent inside: topic by topic; exactly, by block principal pivoting; or one number at a time,
        the one that gains most.
    init : {"random", "rows", "nndsvd", "nndsvda", "nndsvdar", "uniform"} or tuple of arrays (H, W)
        The start. "uniform" is that of the paper's published code, from which solver="paper" does not move unless α is
        large; a warning says so if that happens. Arrays: H (n_samples × n_topics) and W (n_features × n_topics).
    max_iter : int
        Maximum number of iterations: passes over the data, or (solver="paper") updates of Z.
    tol : float
        Stop when an iteration lowers the objective by no more than this share of its value without any topics.
    inner_iter : int, optional
        Sweeps over each factor in a pass (solver="reweighted", 1 if not given; not for inner="anls", which has none), or the
        maximum number of inner iterations for one Z (solver="paper", 10 if not given).
    inner_tol : float, optional
        Like `tol`, for the inner loop of solver="paper"; 0.001 if not given.
    score_by : {"residual", "paper", "unexplained", "lift"}
        The outlier score: ρ; the paper's ‖z‖ = max(0, ρ − α), which ties all rows below α at zero; or, with each row read as
        counts drawn from a mixture of the topics and the background of all rows (`tonmf.nmf.mixture`), the background's share
        g, or b, how little the mixture improves on the background alone.
    contamination : float or "auto"
        Share of the training rows to flag, or "auto": those with a score above median + 3 (P84 − median), with P84 the
        0.84-quantile. For residuals of rows of equal norm, the rule applies to the logarithm of the explained share
        (`tonmf.nmf.threshold`).
    block_size : int, optional
        Rows in a block. It changes memory and speed, not the result.
    backend : {"numba", "numpy"}
        Compiled kernels on all cores, or plain numpy and scipy.
    device : str
        Where to compute: "cpu", or a GPU, "cuda" or "cuda:1" and so on (``pip install 'tonmf[cuda13]'``; docs/guide/gpu.md).
        Results agree to rounding. ``partial_fit`` always runs on the CPU.
    n_jobs : int, optional
        Threads of the compiled kernels; all cores if not given or -1, all but one if -2, and so on.
    half_life : number, str or timedelta, optional
        How fast ``partial_fit`` forgets: the number of documents after which a document has half its weight, or a time such
        as "30 days". If not given, nothing is forgotten.
    random_state : int, RandomState instance, optional
        Seed of the start. With a seed, results repeat bit for bit on the same machine.
    callback : callable, optional
        Called with a `tonmf.Progress` after each iteration. An exception that it raises ends the fit.
    executor : dask.distributed.Client, optional
        The cluster to fit on (``pip install 'tonmf[dask]'``); this process if not given. X may then be a Dask array, a
        dataframe of numbers, a bag of rows or of sparse blocks, or a list of partitions (docs/guide/cluster.md).
        `n_jobs` is for this process: each worker uses the threads that it has. Other methods run in this process.

    Attributes
    ----------
    components_ : ndarray of shape (n_topics, n_features)
        The topics, each of unit norm.
    outlier_scores_ : ndarray of shape (n_samples,)
        Scores of the training rows; higher is stranger.
    residual_norms_ : ndarray of shape (n_samples,)
        ρ of the training rows.
    weights_ : ndarray of shape (n_samples,)
        min(1, α/ρ) of the training rows.
    threshold_ : float
        Rows with a score above it are outliers.
    offset_ : float
        ``-threshold_``: ``decision_function = score_samples - offset_``.
    alpha_ : float
        The α in force.
    n_topics_ : int
        Topics in the model. Topics that no row uses when the fit ends are dropped.
    topic_shares_ : ndarray of shape (n_topics,)
        Each topic's share of the training rows' weight on topics.
    objective_history_ : ndarray of shape (n_values,)
        The objective of each iteration once α and the price of topics are fixed (solver="reweighted": after the H step;
        "paper": after Z is taken), and that of the final model, except with n_topics="auto", where the final solve of the rows
        is without the price.
    n_iter_ : int
        Iterations done.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from tonmf import TONMF
    >>> rng = np.random.default_rng(0)
    >>> groups = np.kron(np.eye(3), np.ones(20))           # three groups of terms
    >>> X = rng.poisson(2 * groups[rng.integers(3, size=200)]).astype(float)
    >>> X[17] = 0
    >>> X[17, [3, 25, 47]] = 9                             # a row that is none of them
    >>> model = TONMF(n_topics=3, random_state=0).fit(X)
    >>> int(model.outlier_scores_.argmax())
    17
    """

    plot = Attached("plots of model")
    _repr_html_ = Attached("html of model")
    _repr_mimebundle_ = None  # scikit-learn's, which would come before

    _stream: ModelStream

    def __init__(
        self,
        n_topics: int | str | None = None,
        *,
        max_topics: int = 25,
        topic_share: float = 0.02,
        alpha: float | str = "auto",
        beta: float = 0.0,
        solver: str = "reweighted",
        inner: str = "hals",
        init: str | tuple[Any, Any] = "random",
        max_iter: int = 200,
        tol: float = 1e-4,
        inner_iter: int | None = None,
        inner_tol: float | None = None,
        score_by: str = "residual",
        contamination: float | str = "auto",
        block_size: int | None = None,
        backend: str = "numba",
        device: str = CPU,
        n_jobs: int | None = None,
        half_life: Any = None,
        random_state: Any = None,
        callback: Callable[[Progress], None] | None = None,
        executor: Any = None,
    ) -> None:
        self.n_topics = n_topics
        self.max_topics = max_topics
        self.topic_share = topic_share
        self.alpha = alpha
        self.beta = beta
        self.solver = solver
        self.inner = inner
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.inner_iter = inner_iter
        self.inner_tol = inner_tol
        self.score_by = score_by
        self.contamination = contamination
        self.block_size = block_size
        self.backend = backend
        self.device = device
        self.n_jobs = n_jobs
        self.half_life = half_life
        self.random_state = random_state
        self.callback = callback
        self.executor = executor

    # ------------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model to rows of X.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe} of shape (n_samples, n_features)
            Non-negative rows: counts, tf-idf, baskets.
        y : ignored
            Present for API consistency.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts; a row of weight 2 is the same as the row twice.

        Returns
        -------
        self : TONMF
        """
        check_model_parameters(self.get_params(deep=False), defaults_of(type(self)))
        if self.executor is not None:
            source, executor, weights = self._on_cluster(X, sample_weight)
        else:
            X = check_rows(self, X, reset=True)
            source, executor, weights = self._in_memory(X, check_sample_weight(sample_weight, X.shape[0]))
        ops = self._ops()
        with one_blas_thread(), executor.session(source):
            n_topics = check_n_topics(self.n_topics, self.max_topics, source.n_docs, source.n_terms)
            H, W = at_unit_norm(self._start(source, n_topics, ops, executor), source.dtype)
            source.start_from(H, n_topics)
            solution = solve(Problem(source, self._options(), ops, executor, self.callback), W)
            self._keep(solution, source, weights, ops, executor)
        self._warn(solution)
        return self

    def partial_fit(self, X: Any, y: Any = None, *, times: Any = None, sample_weight: Any = None) -> Self:
        """Update the model with more rows, in one pass over them (docs/guide/streaming.md).

        An unfitted model starts from the first rows it gets (with n_topics="auto", by a whole fit). Attributes of rows, such as
        ``outlier_scores_``, then refer to these rows; ``alpha_`` and ``threshold_`` follow all rows so far, with more weight on
        recent ones if there is a `half_life`.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe} of shape (n_samples, n_features)
            Non-negative rows.
        y : ignored
            Present for API consistency.
        times : sequence of shape (n_samples,), optional
            The time of each row: datetimes, ISO 8601 text, datetime64, or seconds. Needed if `half_life` is a time.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.

        Returns
        -------
        self : TONMF

        Examples
        --------
        >>> import numpy as np
        >>> from tonmf import TONMF
        >>> rng = np.random.default_rng(0)
        >>> groups = np.kron(np.eye(3), np.ones(20))
        >>> model = TONMF(n_topics=3, half_life=500, random_state=0)
        >>> for _ in range(10):
        ...     _ = model.partial_fit(rng.poisson(2 * groups[rng.integers(3, size=100)]).astype(float))
        >>> strange = np.zeros((1, 60))
        >>> strange[0, [3, 25, 47]] = 9
        >>> model.predict(strange).tolist()
        [-1]
        """
        check_model_parameters(self.get_params(deep=False), defaults_of(type(self)))
        first = not hasattr(self, "components_")
        rows = check_rows(self, X, reset=first)
        ageing = age(half_life_of(self.half_life), rows.shape[0], times, Clock() if first else self._stream.clock)
        weights = check_sample_weight(sample_weight, rows.shape[0]) * ageing.weights
        if first and isinstance(self.n_topics, str):
            self.fit(X, sample_weight=weights)
            self._stream = replace(self._stream, clock=ageing.clock)
            return self
        ops, executor = make_ops(self.backend, self.n_jobs), SerialExecutor()
        with one_blas_thread():
            if first:
                n_topics = check_n_topics(self.n_topics, self.max_topics, *rows.shape)
                size = self.block_size or default_block_size(rows, n_topics)
                source = MatrixSource(rows, weights, size, ops)
                problem, stream = Problem(source, self._options(), ops, executor), ModelStream.nothing(n_topics)
                H, W = at_unit_norm(self._start(source, n_topics, ops, executor), rows.dtype)
                source.start_from(H, n_topics)
                (_, current), n_iter = problem.first_pass(W), 1
            else:
                source = self._source_of(rows, ops, weights)
                problem, stream = Problem(source, self._options(), ops, executor), self._stream
                current, n_iter = self._pass(np.array(self.components_.T, order="C")), self.n_iter_ + 1
                problem.run(document_step, current)
            solution, stream = learn_rows(problem, current, stream, ageing, weights, n_iter)
            self._keep(solution, source, weights, ops, executor, stream)
        return self

    def _in_memory(self, X: sp.csr_matrix, weights: Array) -> tuple[Source, Executor, Array]:
        """Return source, executor and weights for a fit in this process."""
        n_topics, ops = check_n_topics(self.n_topics, self.max_topics, *X.shape), self._ops()
        size = self.block_size or default_block_size(X, n_topics, ops.bytes_of_work)
        return MatrixSource(X, weights, size, ops), SerialExecutor(), weights

    def _on_cluster(self, X: Any, sample_weight: Any) -> tuple[Source, Executor, Array]:
        """Return source, executor and weights for a fit on a cluster."""
        from tonmf.nmf.cluster.client import Cluster
        from tonmf.nmf.cluster.executor import DaskExecutor
        from tonmf.nmf.cluster.rows import cut_rows, is_collection, read_rows

        cluster = Cluster(self.executor)
        expected = self.max_topics if isinstance(self.n_topics, str) else self.n_topics or 10
        if not is_collection(X):
            X = check_rows(self, X, reset=True)
            weights = check_sample_weight(sample_weight, X.shape[0])
            with cluster.freeing():
                source = cluster.persist(lambda: cut_rows(cluster, X, weights, expected, self.block_size))
            return source, DaskExecutor(cluster), weights
        if sample_weight is not None:
            raise InputError("sample_weight is for rows in memory; X is in partitions. Repeat rows, or leave it out.")
        with cluster.freeing():
            source = cluster.persist(lambda: read_rows(cluster, X, expected, self.block_size))
        keep_columns(self, X, source.n_terms)
        return source, DaskExecutor(cluster), np.ones(source.n_docs)

    def _ops(self) -> Ops:
        return make_ops(self.backend, self.n_jobs, self.device)

    def _options(self) -> Options:
        paper = self.solver == "paper"
        return Options(
            solver=self.solver,
            inner=INNER_METHODS[self.inner],
            alpha=None if isinstance(self.alpha, str) else float(self.alpha),
            beta=float(self.beta),
            ramp=Ramp(self.topic_share) if isinstance(self.n_topics, str) else None,
            max_iter=self.max_iter,
            tol=self.tol,
            inner_iter=self.inner_iter or (10 if paper else 1),
            inner_tol=1e-3 if self.inner_tol is None else self.inner_tol,
            compare_with_start=paper and isinstance(self.init, str) and self.init == "uniform",
        )

    def _start(self, source: Source, n_topics: int, ops: Ops, executor: Executor) -> Start:
        if isinstance(self.init, str):
            return STARTS[self.init](source, n_topics, check_random_state(self.random_state), ops, executor)
        return check_start(self.init, source.n_docs, source.n_terms, n_topics)

    def _keep(
        self,
        solution: Solution,
        source: Source,
        weights: Array,
        ops: Ops,
        executor: Executor,
        stream: ModelStream | None = None,
    ) -> None:
        """Set the fitted attributes from a solution; with a `stream`, its rows come after others."""

        def look(block: Block) -> tuple[Array, ...]:
            return ops.fetch(block.rho), ops.fetch(block.omega), ops.fetch(block.squared_norms)

        of_documents = executor.gather(look, source)
        rho, omega, squared_norms = (np.concatenate(parts) for parts in zip(*of_documents, strict=True))
        self.components_ = solution.topics.W.T
        self._gram = solution.topics.G
        self.alpha_ = solution.alpha
        self.n_topics_ = len(self.components_)
        self.topic_shares_ = solution.usage / max(solution.usage.sum(), np.finfo(np.float64).tiny)
        self.objective_history_ = np.array(solution.history)
        self.n_iter_ = solution.n_iter
        self.residual_norms_, self.weights_ = rho, omega
        if stream is None or solution.n_iter == 1:
            self._score_by = self.score_by  # threshold_ belongs to this score, even if the parameter changes later
        sums, scores = None, self.residual_norms_
        if self._score_by in MIXTURE_SCORES:
            sums = term_sums(source, ops, executor)
            if stream is not None and stream.term_sums is not None:
                sums += stream.term_sums
            self._mixture = Mixture.of(solution.topics.W, sums, solution.usage)
            scores = self._mixture_score(source, ops, executor)
        if stream is None:
            self._stream = ModelStream.of_fit(solution, rho, squared_norms, weights, scores, sums)
            threshold = self._threshold(scores, weights, self._stream.bound)
        else:
            self._stream = replace(stream.with_scores(scores, weights, squared_norms), term_sums=sums)
            threshold = self._threshold(self._stream.scores.values, self._stream.scores.weights, self._stream.bound)
        by_mixture = self._score_by in MIXTURE_SCORES
        self.outlier_scores_ = scores if by_mixture else self._residual_score(scores)
        self.threshold_ = threshold if by_mixture else float(self._residual_score(np.array(threshold)))
        self.offset_ = -self.threshold_

    def _threshold(self, scores: Array, weights: Array, bound: float | None) -> float:
        if not isinstance(self.contamination, str):
            return threshold_for_share(scores, self.contamination, weights)
        return automatic_threshold(scores, weights, None if self._score_by in MIXTURE_SCORES else bound)

    def _warn(self, solution: Solution) -> None:
        if solution.stayed_at_start > STALLED:
            warnings.warn(
                "The fit stayed at its start (init='uniform'): final and initial residuals rank-correlate at "
                f"{solution.stayed_at_start:.3f}. So far from the data every weight α/ρ is near 0, and Z takes up the random "
                "start instead of the outliers. Use init='random', which is scaled to the data, or solver='reweighted'.",
                ConvergenceWarning,
                stacklevel=3,
            )
        elif not solution.converged and self.tol > 0:
            warnings.warn(
                f"The objective had not settled to within tol={self.tol} when max_iter={self.max_iter} was reached. "
                "Raise max_iter, or tol if the scores are good enough.",
                ConvergenceWarning,
                stacklevel=3,
            )

    # ------------------------------------------------------------------ using the model

    def transform(self, X: Any) -> Array:
        """Return the topics of each row: the h ≥ 0 that explains it best, with the penalty β.

        Each row is solved by itself, from zero and without randomness: the same row gives the same numbers, whatever
        else is in X.

        Returns
        -------
        H : ndarray of shape (n_samples, n_topics)
        """
        H, _ = self._solve_rows(self._check_new(X))
        return H

    def outlier_score(self, X: Any) -> Array:
        """Return the outlier score of each row, on the scale of ``outlier_scores_``; higher is stranger.

        Training rows get the score they have in ``outlier_scores_``.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        X = self._check_new(X)
        if self._score_by in MIXTURE_SCORES:
            ops = self._ops()
            return self._mixture_score(self._source_of(X, ops), ops, SerialExecutor())
        return self._residual_score(self._solve_rows(X)[1])

    def outlier_matrix(self, X: Any, rows: Any = None) -> Array:
        """Return rows of Z: the residual of each row, shrunk by α; zero for rows with ρ ≤ α.

        Parameters
        ----------
        X : {array, sparse matrix, dataframe} of shape (n_samples, n_features)
        rows : array of int or bool, slice or int, optional
            Rows of X to return; all if not given. The result is dense, so name only the rows you need.

        Returns
        -------
        Z : ndarray of shape (n_rows, n_features)
        """
        X = self._check_new(X)
        if rows is not None:
            try:
                X = X[np.atleast_1d(np.arange(X.shape[0])[rows])]
            except IndexError as error:
                raise InputError(f"rows must be numbers of rows of X, which has {X.shape[0]}; got {rows!r}.") from error
        if X.shape[0] == 0:
            return np.zeros(X.shape, X.dtype)
        H, _ = self._solve_rows(X)
        return shrink(X.toarray() - H @ self.components_, self.alpha_).astype(X.dtype, copy=False)

    def _check_new(self, X: Any) -> sp.csr_matrix:
        check_is_fitted(self)
        return check_rows(self, X, reset=False)

    def _solve_rows(self, X: sp.csr_matrix) -> tuple[Array, Array]:
        """Return (H, ρ) of new rows, H in the dtype of X."""
        ops = self._ops()
        # The sums must come out as in training, where W has the dtype of the training data.
        W = ops.place(np.ascontiguousarray(self.components_.T))
        source = self._source_of(X, ops)
        problem = Problem(source, self._options(), ops, SerialExecutor())
        with one_blas_thread():
            problem.run(document_step, self._pass(W))
        H = np.concatenate([ops.fetch(block.H) for block in source.blocks()]).astype(X.dtype, copy=False)
        return H, np.concatenate([ops.fetch(block.rho) for block in source.blocks()])

    def _pass(self, W: Array) -> Pass:
        """Return a pass with the topics of the model."""
        beta = np.full(self.n_topics_, float(self.beta))
        return Pass(TopicMatrix(W, self._gram), self.alpha_, beta, INNER_METHODS[self.inner], n_sweeps=1)

    def _source_of(self, X: sp.csr_matrix, ops: Ops, weights: Array | None = None) -> MatrixSource:
        """Return a source of new rows, in the dtype of the model."""
        size = self.block_size or default_block_size(X, self.n_topics_, ops.bytes_of_work)
        weights = np.ones(X.shape[0]) if weights is None else weights
        return MatrixSource(as_dtype(X, self.components_.dtype), weights, size, ops)

    def _residual_score(self, rho: Array) -> Array:
        return rho.copy() if self._score_by == "residual" else outlier_norms(rho, self.alpha_)

    def _mixture_score(self, source: Source, ops: Ops, executor: Executor) -> Array:
        mixture, unexplained = self._mixture, self._score_by == "unexplained"

        def score(block: Block) -> Array:
            reading = mixture.read(ops, block.X)
            return reading.unexplained.copy() if unexplained else reading.strangeness

        return np.concatenate(executor.gather(score, source))

    def save(self, path: str | Path) -> None:
        """Save the fitted model to a folder that ``tonmf.load`` reads. It holds no code.

        A saved model at `path` is replaced once the new one is complete.
        """
        check_is_fitted(self)
        parameters = kept_parameters(self.get_params(deep=False))
        fields = {"parameters": parameters, **model_fields(self), "provenance": provenance()}
        write_bundle(path, type(self).__name__, fields, model_arrays(self))

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> Self:
        """Return the model in a bundle; ``tonmf.load`` calls it."""
        model = cls(**restored_parameters(bundle, defaults_of(cls), MODEL_RULES))
        for name, value in read_model(bundle).items():
            setattr(model, name, value)
        return model

    @property
    def _n_features_out(self) -> int:
        return self.n_topics_

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted copy; a Dask client is shared, since it cannot be copied."""
        without = copy.copy(self)
        without.executor = None
        twin: Self = BaseEstimator.__sklearn_clone__(without)
        twin.executor = self.executor
        return twin

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
