"""The first steps of a relay that was written from the interface specification alone: `python3 peer.py <group>`."""

import sys

import peer_calling  # noqa: F401
import peer_reached  # noqa: F401
from steps import run_steps

if __name__ == "__main__":
    run_steps(sys.argv[1])
