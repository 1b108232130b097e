"""Steps of a stranger, and their results as lines of JSON on standard output."""

import json
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

STEPS = []


def step(group, title):
    def add(run):
        STEPS.append((group, title, run))
        return run

    return add


def run_steps(group, *arguments):
    """Runs the steps of a group side by side. Each tells what came in place of what was expected, or nothing."""

    def one(chosen):
        _, title, run = chosen
        try:
            problem = run(*arguments)
        except Exception:
            problem = traceback.format_exc(limit=-3)
        return {"title": title, "problem": problem}

    chosen = [each for each in STEPS if each[0] == group]
    with ThreadPoolExecutor(max_workers=4) as pool:
        for result in pool.map(one, chosen):
            print(json.dumps(result), flush=True)
    sys.stdout.flush()
