"""Groups of fields that the specs of several verbs share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from steelyard.api.own import bench_suite
from steelyard.api.spec import named, option, parameter, part, rare
from steelyard.api.values import Notify, Progress, path, silent, texts
from steelyard.engine import ENGINES
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.bench.model import Spec
    from steelyard.bench.suite import Suite
    from steelyard.engine.protocol import EngineOptions
    from steelyard.judge.panel import Panel


@named
class Judges:
    """Who grades what a program cannot check."""

    judge: tuple[str, ...] = option(
        "An Inspect model, auto or none; several make a jury.", "NAME", default=(), converter=texts
    )
    judge_protocol: Literal["single", "quoted"] = rare(
        "Grade in one call, or by quoted passages that further calls see alone.", default="single"
    )
    judge_repeats: int = rare("Verdicts per judge and text.", default=1, least=1, most=100)
    judge_cache: bool = rare("Ask again instead of reusing stored verdicts.", "--no-judge-cache", default=True)
    require_judge: bool = rare("Exit with 2 if no judge is available.", default=False)

    def panel(self, default: Literal["none", "auto"] = "none", names: tuple[str, ...] = ()) -> Panel | None:
        """The judges that these fields, else `names`, `STEELYARD_JUDGE` and the default name."""
        from steelyard.judge.panel import by_protocol, panel

        chosen = by_protocol(self.judge or names, self.judge_protocol)
        return panel(
            chosen, default=default, require=self.require_judge, repeats=self.judge_repeats, cache=self.judge_cache
        )

    def required_panel(self, default: Literal["none", "auto"] = "none") -> Panel:
        """The judges; an error if none is named or available."""
        chosen = replace(self, require_judge=True).panel(default)
        assert chosen is not None  # it is required
        return chosen


@named
class Engines:
    """Where runs are executed."""

    engine: str = rare(
        "Where tasks run: in this process, in one process each, or on a cluster.", default="local",
        choices=("local", *ENGINES),
    )  # fmt: skip
    workers: int | None = rare("Workers of an engine at a time.", default=None, least=1)
    worker_cpus: float = rare("Processors that a worker reserves on a cluster.", default=1.0, above=0)
    worker_memory_gb: float | None = rare("Memory that a worker reserves on a cluster.", default=None, above=0)
    ray_address: str | None = rare(
        "HOST:6379, ray://HOST:10001 or auto [default: a cluster that runs here, or a new one].", "ADDRESS",
        default=None,
    )  # fmt: skip

    def chosen_engine(self) -> EngineOptions | None:
        """The engine; None means this process."""
        from steelyard.engine.protocol import EngineOptions

        if self.ray_address is not None and self.engine != "ray":
            raise InputError("--ray-address needs --engine ray")
        if self.engine == "local":
            return None
        return EngineOptions(self.engine, self.workers, self.worker_cpus, self.worker_memory_gb, self.ray_address)


@named
class Told:
    """Who hears of a run while it goes on."""

    notify: Notify = parameter("Called with each line of progress.", default=silent)
    progress: Progress = parameter(
        "Called with a step, how many of its runs have ended, and how many it has.", default=silent
    )


@named
class Prices:
    """What may be spent."""

    budget_usd: float | None = option("Start nothing new once this is spent.", default=None, above=0)
    prices: Path | None = rare(
        "Prices for a budget, JSON or YAML: model, then input and output in USD per million tokens.", default=None,
        converter=path,
    )  # fmt: skip


@named
class Suites:
    """Whose items count."""

    suite: str = option(
        "Which suite: each has a board of its own, and official is SA Bench as published.", default="official",
        choices=("official", "hard"),
    )  # fmt: skip
    dataset: Path | None = option(
        "A folder with items of your own instead of a suite (docs/own-items.md).", "--items", "DIR", default=None,
        converter=path,
    )  # fmt: skip

    def chosen_suite(self) -> Suite:
        """The suite that these fields name."""
        return bench_suite(self.suite, dataset=self.dataset)


@named
class Taskfile(Suites):
    """Whose items count: also any Inspect tasks."""

    categories: Path | None = rare(
        "A file that names any Inspect tasks, instead of a suite (docs/any-tasks.md).", "FILE", default=None,
        converter=path,
    )  # fmt: skip

    def chosen_suite(self) -> Suite:
        """The suite that these fields name."""
        return bench_suite(self.suite, dataset=self.dataset, categories=self.categories)

    def board_spec(self) -> Spec:
        """How a board is made, as far as these fields say it."""
        from steelyard.bench.analysis.front import require_sortable
        from steelyard.bench.model import Spec

        made = Spec(**(part(self, Spec) | {"suite": self.chosen_suite()}))
        require_sortable(made)
        return made


@named
class Scores(Taskfile):
    """Which scores count where there are several."""

    scorer: str | None = rare("Which scores count: heuristic, judge, or a scorer's name.", "NAME", default=None)
    diagrams: Literal["image", "text"] | None = rare("Which diagram mode counts.", default=None)


@named
class Boards(Scores):
    """How a board is made of logs."""

    min_coverage: float = rare(
        "Withhold a score if harness failures push coverage below this.", default=0.95, least=0, most=1
    )
    pool: bool = rare("Average all complete logs of equal fingerprint.", default=False)
    seed: int = rare("Seed of the rank bootstrap.", default=20260107)
    sort: str = option("strict, a category, cost, maker, release, licence, size or price.", "WHAT", default="overall")
