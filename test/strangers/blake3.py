"""BLAKE3 of at most 64 bytes, which are one block: enough for the id of a device."""

IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
COLUMNS_AND_DIAGONALS = (
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
)  # fmt: skip
CHUNK_START, CHUNK_END, ROOT = 1, 2, 8


def _rotate(word: int, bits: int) -> int:
    return (word >> bits | word << 32 - bits) & 0xFFFFFFFF


def _mix(state: list[int], at: tuple[int, int, int, int], words: tuple[int, int]) -> None:
    a, b, c, d = at
    for word, first, second in ((words[0], 16, 12), (words[1], 8, 7)):
        state[a] = state[a] + state[b] + word & 0xFFFFFFFF
        state[d] = _rotate(state[d] ^ state[a], first)
        state[c] = state[c] + state[d] & 0xFFFFFFFF
        state[b] = _rotate(state[b] ^ state[c], second)


def blake3(data: bytes) -> bytes:
    """The hash, 32 bytes."""
    if len(data) > 64:
        raise ValueError("only one block is hashed")
    block = data.ljust(64, b"\0")
    words = [int.from_bytes(block[at : at + 4], "little") for at in range(0, 64, 4)]
    state = [*IV, *IV[:4], 0, 0, len(data), CHUNK_START | CHUNK_END | ROOT]
    for _ in range(7):
        for index, at in enumerate(COLUMNS_AND_DIAGONALS):
            _mix(state, at, (words[2 * index], words[2 * index + 1]))
        words = [words[at] for at in PERMUTATION]
    return b"".join((state[at] ^ state[at + 8]).to_bytes(4, "little") for at in range(8))
