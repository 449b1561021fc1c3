"""TONMF, the robust non-negative matrix factorisation: everything that sees X, H and W.

============== ==================================================================================
module         what
============== ==================================================================================
`estimator`    `TONMF`, the scikit-learn estimator
`options`      the rules for its parameters
`validation`   the rules for its input
`signs`        scikit-learn's signs of scores
`saved`        a fitted model in a saved one
-------------- ----------------------------------------------------------------------------------
`objective`    the objective, its outlier matrix and its residuals
`penalty`      the penalty on topics
`inner`        non-negative least squares for one factor, by three methods
`pivoting`     one of them: block principal pivoting
`steps`        what one pass does to one block
`solver`       the loop of passes, for both solvers
`starts`       the starts of a fit
`streaming`    one pass over new documents, on top of the sums of earlier ones
`remembered`   what the model keeps of earlier rows
-------------- ----------------------------------------------------------------------------------
`mixture`      documents read as words drawn from topics and background
`threshold`    thresholds on scores
`quantiles`    a quantile of numbers that are spread over blocks
-------------- ----------------------------------------------------------------------------------
`blocks`       blocks of documents, sources that supply them, executors that run on them
`in_memory`    sources in memory
`threads`      backends and threads
`ops/`         the arithmetic on one block, one module a backend
`cluster/`     blocks on the workers of a Dask cluster
============== ==================================================================================
"""
