"""Where the tasks of a run are executed: in processes of this machine, on a Ray cluster, or by Slurm.

A run is captured (`capture`: Inspect lists the tasks of its eval set), each task that is not done gets a file that
selects it, and an engine starts one worker per selection. No result travels through an engine: workers write logs into
the folder of the run, and the folder says what is done. Adding an engine is one module with `create(options)` and a
line in `ENGINES`.
"""

from __future__ import annotations

from importlib import import_module

from steelyard.engine.protocol import Engine, EngineOptions
from steelyard.errors import InputError

ENGINES = {
    "processes": "processes",
    "ray": "ray_cluster",
    "slurm": "slurm",
}
"""Name on the command line → module of this package. With `local`, Inspect runs the eval set in this process."""


def find_engine(options: EngineOptions) -> Engine:
    """The engine of this name; raises with the cure if it is unknown or cannot work here."""
    if options.name not in ENGINES:
        raise InputError(f"there is no engine {options.name}", cure=f"choose local, {', '.join(ENGINES)}")
    return import_module(f"steelyard.engine.{ENGINES[options.name]}").create(options)
