"""How detectors, explanations, rankings and groups look in a notebook: HTML of bounded size, without scripts or network.

Classes below name these functions as their ``_repr_html_`` (`tonmf.attached`). Colours and shades are those of the report.

============== =========================================================================
`markup`       build HTML in which every text is escaped, and the card that holds it
`parts`        what several cards have: shaded words, bars, topics, scores
`detectors`    a detector or a model, fitted or not
`explanations` one explanation, or several
`rankings`     the strangest documents of a ranking, with their reasons
`groups`       small groups
`framed`       ``detector.report()``: the whole report, in a frame
============== =========================================================================
"""
