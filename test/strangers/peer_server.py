"""A relay that somebody wrote who had read nothing but the interface specification. What the specification leaves open is a
member that a step may set. What it names is checked to the letter: a member that it does not name is an error."""

import json
import re
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

UUID_V4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
DISCOVERY = "/.well-known/svc"
CHALLENGE = "/federation/v1/challenge"
AUTH = "/federation/v1/auth"
DELIVER = "/federation/v1/deliver/"
NONCE = "5e" * 32

# What the specification names of the discovery document, and no more.
NAMED = {
    "federation_enabled": True,
    "max_connections_per_device": 1,
    "max_message_backlog": 1000,
    "keepalive_interval_seconds": 30,
    "connection_timeout_seconds": 3600,
}
AUTH_MEMBERS = {"origin_server", "server_certificate", "challenge_response"}
DELIVERY_MEMBERS = {"origin_server", "transaction_id", "timestamp", "messages"}
MESSAGE_MEMBERS = {"message_id", "recipient_address", "mls_ciphertext", "sender_signature", "timestamp"}


def error(status, name, code):
    return status, {"error": name, "message": "as the specification says", "code": code}


def accepted(transaction_id, messages):
    ids = [message["message_id"] for message in messages]
    return {
        "transaction_id": transaction_id,
        "status": "accepted",
        "accepted_messages": ids,
        "rejected_messages": [],
        "timestamp": int(time.time()),
    }


class Peer:
    """A server on a port of localhost, which is its domain."""

    def __init__(self, credential):
        self.changed = threading.Condition()
        self.arrived = []  # ids of messages, each as often as it was accepted
        self.attempts = []  # (transaction id, body) of each delivery
        self.answers = []  # challenge responses
        self.certificates = []
        self.problems = []  # requests that the specification does not name
        self.tokens = 0
        self.forgets_token_at = None  # the delivery with which the token ends
        self.calls = []
        # The readings of what is left open.
        self.document = lambda: NAMED
        self.challenge = {"POST": lambda: (200, {"nonce": NONCE, "expires_at": int(time.time()) + 300})}
        self.token = lambda: (200, {"rate_limits": {"messages_per_minute": 1000, "transactions_per_minute": 100}})
        self.accepts_answer = lambda answer: True
        self.refusal = error(401, "INVALID_TOKEN", 4008)  # of a token that has ended
        self.first = []  # answers to the first deliveries, before any is accepted
        self.receipt = accepted

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            do_GET = do_POST = do_PUT = lambda handler: self._handle(handler)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.load_cert_chain(credential["cert"], credential["key"])
        # The handshake is done by the thread of the connection, not by the one that accepts all.
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.server.daemon_threads = True
        self.domain = f"localhost:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def wait_for(self, condition, seconds=60):
        with self.changed:
            return self.changed.wait_for(condition, seconds)

    def _handle(self, handler):
        length = int(handler.headers.get("content-length", 0))
        body = handler.rfile.read(length)
        with self.changed:
            try:
                status, answer = self._answer(handler, body)
            except Exception as problem:  # what it cannot read, it refuses
                self.problems.append(f"{handler.command} {handler.path}: {problem!r}")
                status, answer = error(400, "BAD_REQUEST", 4000)
            self.changed.notify_all()
        content = json.dumps(answer).encode()
        handler.send_response(status)
        handler.send_header("content-type", "application/json; charset=utf-8")
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def _answer(self, handler, body):
        method, path = handler.command, handler.path.split("?")[0]
        self.calls.append(f"{method} {path}")
        if (method, path) == ("GET", DISCOVERY):
            return 200, self.document()
        if path == CHALLENGE:
            known = self.challenge.get(method)
            return known() if known else error(405 if self.challenge else 404, "NOT_FOUND", 4016)
        if (method, path) == ("POST", AUTH):
            return self._authenticate(json.loads(body))
        if method == "PUT" and path.startswith(DELIVER):
            return self._deliver(handler, path[len(DELIVER) :], json.loads(body))
        return error(404, "NOT_FOUND", 4016)

    def _authenticate(self, body):
        self._check_members("auth", body, AUTH_MEMBERS)
        self.answers.append(body["challenge_response"])
        self.certificates.append(body["server_certificate"])
        if not self.accepts_answer(body["challenge_response"]):
            return error(403, "INVALID_CERTIFICATE", 4001)
        self.tokens += 1
        status, more = self.token()
        return status, {"federation_token": f"token{self.tokens}", "expires_at": int(time.time()) + 3600, **more}

    def _deliver(self, handler, path_id, body):
        self.attempts.append((path_id, body))
        if len(self.attempts) == self.forgets_token_at:
            self.tokens += 1
        if handler.headers["authorization"] != f"Bearer token{self.tokens}":
            return self.refusal
        self._check("the media type", handler.headers["content-type"].startswith("application/json"))
        self._check_members("delivery", body, DELIVERY_MEMBERS)
        self._check("X-Origin-Server", handler.headers["x-origin-server"] == body["origin_server"])
        self._check("transaction_id", path_id == body["transaction_id"] and UUID_V4.fullmatch(path_id))
        self._check("the number of messages", 1 <= len(body["messages"]) <= 100)
        for message in body["messages"]:
            self._check_members("message", message, MESSAGE_MEMBERS)
        if self.first:
            return self.first.pop(0)
        self.arrived.extend(message["message_id"] for message in body["messages"])
        answer = self.receipt(path_id, body["messages"])
        return answer if isinstance(answer, tuple) else (200, answer)

    def _check_members(self, what, found, names):
        self._check(f"the members of {what}: {sorted(found)}", set(found) == names)

    def _check(self, what, holds):
        if not holds:
            raise ValueError(what)
