"""Ed25519 as in RFC 8032, section 5.1, in the standard library alone. Slow and not in constant time: for tests."""

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P

# A point is (X, Y, Z, T) with x = X/Z, y = Y/Z, x * y = T/Z.
IDENTITY = (0, 1, 1, 0)
BASE_Y = 4 * pow(5, P - 2, P) % P


def _base_x() -> int:
    square = (BASE_Y * BASE_Y - 1) * pow(D * BASE_Y * BASE_Y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    return P - x if x & 1 else x


def _add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _powers_of_base():
    x = _base_x()
    point = (x, BASE_Y, 1, x * BASE_Y % P)
    for _ in range(256):
        yield point
        point = _add(point, point)


POWERS = list(_powers_of_base())


def _times_base(scalar: int):
    result = IDENTITY
    for bit, power in enumerate(POWERS):
        if scalar >> bit & 1:
            result = _add(result, power)
    return result


def _encode(point) -> bytes:
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _expand(secret: bytes) -> tuple[int, bytes]:
    digest = hashlib.sha512(secret).digest()
    scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    return scalar, digest[32:]


def _hash(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER


def public_key(secret: bytes) -> bytes:
    """The public key, 32 bytes, of a secret of 32 random bytes."""
    return _encode(_times_base(_expand(secret)[0]))


def sign(secret: bytes, message: bytes) -> bytes:
    """The signature, 64 bytes."""
    scalar, prefix = _expand(secret)
    key = _encode(_times_base(scalar))
    nonce = _hash(prefix, message)
    commitment = _encode(_times_base(nonce))
    return commitment + ((nonce + _hash(commitment, key, message) * scalar) % ORDER).to_bytes(32, "little")
