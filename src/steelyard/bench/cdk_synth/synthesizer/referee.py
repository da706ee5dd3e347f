"""The referee: decides which failures count against an app, and which against the synthesizer or the machine.

A failure that a warm kernel might have caused (an error raised in Node, an interrupted Node, a broken kernel, a failed
lookup after which it could not run the app again) is repeated in a fresh kernel, whose verdict counts. An app that
breaks a kernel twice, while a clean app passes in between, is `forbidden` (`resource_limit` if Node ran out of memory);
if the clean app fails too, the synthesizer is at fault. A failure inside the library counts only if the prepared files
are intact and the control app passes in the same kernel. What failed while Linux ended processes for lack of memory is
tried again, and never charged if that goes on, unless it was the app's own group that ran out: others may have taken
the memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

from steelyard.bench.cdk_synth.classify import Failure, last_raised
from steelyard.bench.cdk_synth.synthesizer import packages
from steelyard.bench.cdk_synth.synthesizer.kernel import App, Broken, Kernel, Report
from steelyard.bench.cdk_synth.synthesizer.kernel_sandbox import Allowance
from steelyard.bench.cdk_synth.synthesizer.prepare import INSIDE, damage
from steelyard.errors import SteelyardError
from steelyard.sandbox import cgroup

Answer: TypeAlias = tuple[Failure | None, Mapping[str, str], bool]
"""Why it failed (None: it passes), the assembly's files, and whether a fresh kernel confirmed it."""
ATTEMPTS = 3
"""How often a failing app runs while Linux ends processes for lack of memory."""
_CONTROL_TIMEOUT_S = 300.0
_CONTROL_FILE = Path(__file__).parent / "Control.template.json"
_CONTROL_LIBRARY = "2.275.0"
"""The release of aws-cdk-lib that this template is from."""
_KERNEL_COUNTERS = Path("/proc/vmstat")
_LIBRARY_CLASSES = ("construct_error", "import_error", "runtime_error", "annotation_error", "no_stack")
"""Classes of failures that a damaged library may cause."""
_FROM_NODE = ("RuntimeError", "JSIIError", "JavaScriptError")


class StartFailed(SteelyardError):
    """A kernel did not become ready; never the fault of an app."""


class Referee:
    """Starts kernels, and judges apps and kernels by the control app."""

    def __init__(self, allowance: Allowance) -> None:
        self._allowance = allowance
        self._lock = threading.Lock()
        self._control: dict[str, str] = {}
        self.closed = False
        """No further kernel starts."""

    def start(self, *, warm: bool) -> Kernel:
        """A new kernel, not ready yet."""
        return Kernel(self._allowance, warm=warm)

    def await_ready(self, kernel: Kernel) -> None:
        """Wait until a kernel is ready; raises if it is not, or has other bytes for the control app than the others."""
        try:
            kernel.wait_ready()
        except Broken as error:
            raise StartFailed(f"the sandboxed kernel did not start: {error}", cure="steelyard doctor") from error
        if kernel.control and not self._agrees(kernel.control):
            raise StartFailed("a new kernel disagrees with the others about the control app")

    def confirm(self, app: App, timeout_s: float) -> Answer:
        """The verdict of a fresh kernel; if that breaks, of a second one, after a clean app."""
        try:
            return self._fresh_answer(app, timeout_s)
        except Broken as error:
            if not self._clean_app_passes():
                return Failure("engine_error", f"the synthesizer is unsound: {error}"), {}, True
        try:
            return self._fresh_answer(app, timeout_s)
        except Broken as error:
            # So says `Node.exit_reason` when V8 aborts with a full heap.
            klass = "resource_limit" if "out of memory" in str(error) else "forbidden"
            message = f"the app broke its kernel twice, a clean app passed in between: {str(error)[:200]}"
            return Failure(klass, message), {}, True

    def _fresh_answer(self, app: App, timeout_s: float, *, proven: bool = False) -> Answer:
        """The verdict of a fresh kernel; a `proven` one ran the control app first.

        The control app usually runs after the other, and only if that one failed inside the library. It could have
        broken the kernel on purpose, so a control app that fails there settles nothing: a proven kernel decides.
        """
        with closing(self._fresh_kernel(warm=proven)) as kernel:
            report = kernel.run(app, timeout_s)
            finding = report.failure
            sound = proven or not _in_library(report, finding) or self.control_passes(kernel)
        if not sound:
            return self._fresh_answer(app, timeout_s, proven=True)
        return finding, report.files, True

    def _fresh_kernel(self, *, warm: bool) -> Kernel:
        if self.closed:
            raise StartFailed("the synthesizer is shutting down")
        kernel = self.start(warm=warm)
        try:
            self.await_ready(kernel)
        except BaseException:
            kernel.close()
            raise
        return kernel

    def _clean_app_passes(self) -> bool:
        try:
            kernel = self._fresh_kernel(warm=False)
        except StartFailed:
            return False
        with closing(kernel):
            return self.control_passes(kernel)

    def control_passes(self, kernel: Kernel, *, clean: bool = False) -> bool:
        """Whether the control app passes with the known bytes; `clean`: and leaves no trace, as a warm one can tell."""
        try:
            report = kernel.run((INSIDE / "control.py").read_bytes(), _CONTROL_TIMEOUT_S)
        except Broken:
            return False
        return report.failure is None and self._agrees(report.files) and not (clean and report.retire)

    def _agrees(self, files: Mapping[str, str]) -> bool:
        templates = {name: text for name, text in files.items() if name.endswith(".template.json")}
        with self._lock:
            self._control = self._control or shipped_control() or templates
            return templates == self._control


def shipped_control() -> dict[str, str]:
    """The control app's templates as the pinned library makes them; empty for another: its first kernel then counts."""
    if f"aws-cdk-lib=={_CONTROL_LIBRARY}" not in packages.installed().versions:
        return {}
    return {_CONTROL_FILE.name: _CONTROL_FILE.read_text("utf-8")}


def charged(judge: Callable[[], Answer]) -> Answer:
    """What `judge` says about an app; raises if that says nothing, because of this machine or damaged files.

    A failure counts only if Linux ended no process for lack of memory meanwhile.
    """
    for _ in range(ATTEMPTS):
        killed = kills_for_memory()
        answer = judge()
        # A pass stands, whatever else ran out of memory meanwhile.
        if answer[0] is None or kills_for_memory() == killed:
            if answer[0] is not None and answer[0].klass in _LIBRARY_CLASSES:
                _check_files()
            return answer
    raise StartFailed("this machine ran out of memory", cure="free memory, or run fewer things at once")


def kills_for_memory() -> int:
    """How many processes Linux has ended for lack of memory since this machine started; 0 if it does not say.

    Without those that exceeded the limit of an app's own group.
    """
    try:
        lines = _KERNEL_COUNTERS.read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill ")) - cgroup.all_kills()


def doubtful(report: Report, finding: Failure | None) -> bool:
    """Whether the warm kernel itself might have caused this result."""
    if finding is None:
        return report.foreign
    # An app that never asked Node cannot have been misled by it.
    if report.requests == 0:
        return False
    if finding.klass in ("annotation_error", "engine_error", "forbidden"):
        return True
    # A retired kernel does not run an app again after a failed lookup, as the CLI does.
    if report.retire and (report.ending.stopped or finding.klass == "context_lookup"):
        return True
    raised = last_raised(report.ending.output)
    return raised is not None and raised.kind in _FROM_NODE and report.ending.exit_code != 0


def _in_library(report: Report, finding: Failure | None) -> bool:
    """Whether an app failed in a way that a damaged or spoiled library could cause too."""
    if finding is None or finding.klass not in _LIBRARY_CLASSES:
        return False
    return report.requests > 0 or finding.klass in ("construct_error", "import_error")


def _check_files() -> None:
    """Raise if the synthesizer's files are not the installed ones: its verdict on an app then says nothing."""
    packages.check(thorough=False)
    if problem := damage(thorough=False):
        raise StartFailed(f"the prepared CDK synthesizer is damaged: {problem}", cure="run `steelyard setup`")
