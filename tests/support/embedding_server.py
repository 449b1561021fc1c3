"""A model behind an address in the way of OpenAI, in this process; its embeddings are hashes of words."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from embedders import HashEmbedder


class Server(ThreadingHTTPServer):
    """Embeds texts by hashing; first answers with what `first` lists: (status, headers, content)."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.first, self.requests, self.longest, self.width = [], [], None, 8
        self.name = f"http://127.0.0.1:{self.server_port}/v1#hashes"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers.get("Authorization"), asked))
        if self.server.first:
            status, headers, content = self.server.first.pop(0)
        else:
            status, headers, content = self.embedded(asked["input"])
        if status is None:  # hang up
            return None
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        return self.wfile.write(content)

    def embedded(self, texts):
        if self.server.longest is not None and sum(map(len, texts)) > self.server.longest:
            return 400, {}, {"error": {"message": "maximum context length exceeded"}}
        rows = HashEmbedder(self.server.width).encode(texts).tolist()
        data = [{"index": index, "embedding": row} for index, row in enumerate(rows)]
        return 200, {}, {"data": data[::-1]}

    def log_message(self, *_):
        pass


@contextmanager
def embedding_server():
    """A server that runs until the end of the context."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
