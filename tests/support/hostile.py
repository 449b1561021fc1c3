"""Texts that have broken pages before."""

HOSTILE = [
    "<script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">",
    "</script><script>document.title = 'run'</script><!-- <svg onload=\"document.title='run'\">",
    "<b>never <i>closed <table><tr><td> & &amp; &lt; &#x27; ]]> \" ' ` ${1+1} {{1+1}} \\u003c \\",
    "שלום עולם טקסט בעברית مرحبا بالعالم \u202eevitceffe\u202c \u200f",
    "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪 e\u0301 ﷽ \U0001f9d1\u200d\U0001f4bb zero\u200bwidth",
    "x" * 1_000_000,
    "a\x00b\x01c\x1b[31m\ufeff \u2028 \u2029 \ufffe line\r\nbreaks\ttabs",
    "=cmd|' /C calc'!A0, +1+1, -2, @SUM(1)",
]
