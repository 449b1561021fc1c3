"""The CUDA backend: blocks of documents on a GPU, through CuPy.

============= ================================================================================
module        what
============= ================================================================================
`operations`  `CudaOps`: `tonmf.nmf.ops.Ops` on one GPU
`device`      finding the GPU, and the errors if there is none
`rows`        documents on the GPU, by rows and by terms; larger data than it holds
`transfer`    copies to the GPU through pinned memory
`variants`    which form of a kernel a number of topics needs, and its compilation
`kernels.cu`  the kernels, in CUDA C++
============= ================================================================================

Operations return arrays where their arguments are: with NumPy arrays they are like any other backend's; a fit places its arrays
on the GPU first (`Ops.place`) and leaves them there. Numbers of n_topics or n_topics² are always NumPy arrays.
"""
