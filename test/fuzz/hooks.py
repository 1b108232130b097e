"""What Schemathesis loads: who asks, how requests are made to mean something, and what is checked beside its own checks."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import fuzzing.asking  # noqa: E402, F401
import fuzzing.checks  # noqa: E402, F401
