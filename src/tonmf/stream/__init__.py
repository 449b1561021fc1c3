"""What every stream needs.

============== ==================================================================================
module         what
============== ==================================================================================
`times`        times and durations in all usual formats, as seconds
`clock`        the current time of a stream, even if some documents have wrong times
`half_life`    half-lives in documents or in time, and the weights that follow from them
`digest`       a quantile sketch
`quantile`     quantiles of numbers that are kept in order
`reservoir`    a weighted random sample
`saved`        clocks and digests in a saved model
============== ==================================================================================
"""
