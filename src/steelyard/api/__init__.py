"""The public verbs, for programs: the same answers as the command line, as frozen data instead of text.

    from steelyard import api

    board = api.leaderboard("logs")                                  # who is best?
    result = api.audit_score(key="key.md", runs="run1.md", lexical=True)   # did it find what we know is there?
    weighed = api.compare("before.eval", "after.eval")               # may this change ship?

Functions raise a `SteelyardError` that names the cause and the cure, and print nothing. Importing this package is
cheap: each function imports what it needs when it is called.

Names are flat and unique: a verb that several wings have carries its wing (`gate_run`, `audit_compare`,
`bench_check`). The functions live in modules beside this one, are imported here and listed in `__all__`, from which
`scripts/api-docs` writes docs/api.md.
"""

from __future__ import annotations

from steelyard.api.analysis import (
    BenchCompare,
    BenchHistory,
    BenchSubmit,
    bench_check,
    bench_diff,
    bench_drift,
    bench_history,
    bench_items,
    bench_submit,
    reproduce,
)
from steelyard.api.audit import audit_compare, audit_run, audit_score
from steelyard.api.audit_spec import AuditCompare, AuditRun, AuditScore
from steelyard.api.bench import (
    BenchBoard,
    BenchRun,
    bench,
    bench_page,
    bench_pin,
    bench_plan,
    bench_preview,
    bench_report,
    bench_selftest,
    leaderboard,
)
from steelyard.api.blame import (
    GateBisect,
    GateBlame,
    GatePrune,
    gate_bisect,
    gate_blame,
    gate_blame_plan,
    gate_prune,
)
from steelyard.api.exceptions import GateQuarantine, GateWaive, quarantine, waive
from steelyard.api.gate import (
    GateCheck,
    GateCompare,
    GateRun,
    compare,
    gate_check,
    gate_plan,
    gate_preview,
    gate_report,
    gate_run,
)
from steelyard.api.judge import (
    CalibratedJudge,
    JudgeAttack,
    JudgeCalibrate,
    Rescoring,
    attack,
    calibrate,
    labels,
    rescore,
    rescorer,
)
from steelyard.api.machine import (
    clean,
    demo,
    doctor,
    setup,
    status,
    watch_status,
)
from steelyard.api.marking import (
    AuditCheck,
    AuditMark,
    audit_ask,
    audit_check,
    audit_findings,
    audit_import,
    audit_key,
    audit_mark,
    audit_prove,
    audit_sheet,
)
from steelyard.api.own import (
    bench_new,
    bench_schema,
    bench_score,
    bench_suite,
    verify,
    verify_files,
)
from steelyard.api.promotion import (
    GatePromote,
    gate_comment,
    promote,
)
from steelyard.api.starting import (
    AuditPlant,
    GateHarvest,
    audit_example,
    audit_example_copy,
    audit_plant,
    gate_example,
    gate_example_copy,
    gate_harvest,
    gate_init,
)
from steelyard.api.suite import (
    GateMeasure,
    GatePlan,
    gate_noise,
    gate_power,
)
from steelyard.api.watching import GateAccept, GateWatch, gate_accept, gate_watch, gate_watch_issue

__all__ = [
    "AuditCheck",
    "AuditCompare",
    "AuditMark",
    "AuditPlant",
    "AuditRun",
    "AuditScore",
    "BenchBoard",
    "BenchCompare",
    "BenchHistory",
    "BenchRun",
    "BenchSubmit",
    "CalibratedJudge",
    "GateAccept",
    "GateBisect",
    "GateBlame",
    "GateCheck",
    "GateCompare",
    "GateHarvest",
    "GateMeasure",
    "GatePlan",
    "GatePromote",
    "GatePrune",
    "GateQuarantine",
    "GateRun",
    "GateWaive",
    "GateWatch",
    "JudgeAttack",
    "JudgeCalibrate",
    "Rescoring",
    "attack",
    "audit_ask",
    "audit_check",
    "audit_compare",
    "audit_example",
    "audit_example_copy",
    "audit_findings",
    "audit_import",
    "audit_key",
    "audit_mark",
    "audit_plant",
    "audit_prove",
    "audit_run",
    "audit_score",
    "audit_sheet",
    "bench",
    "bench_check",
    "bench_diff",
    "bench_drift",
    "bench_history",
    "bench_items",
    "bench_new",
    "bench_page",
    "bench_pin",
    "bench_plan",
    "bench_preview",
    "bench_report",
    "bench_schema",
    "bench_score",
    "bench_selftest",
    "bench_submit",
    "bench_suite",
    "calibrate",
    "clean",
    "compare",
    "demo",
    "doctor",
    "gate_accept",
    "gate_bisect",
    "gate_blame",
    "gate_blame_plan",
    "gate_check",
    "gate_comment",
    "gate_example",
    "gate_example_copy",
    "gate_harvest",
    "gate_init",
    "gate_noise",
    "gate_plan",
    "gate_power",
    "gate_preview",
    "gate_prune",
    "gate_report",
    "gate_run",
    "gate_watch",
    "gate_watch_issue",
    "labels",
    "leaderboard",
    "promote",
    "quarantine",
    "reproduce",
    "rescore",
    "rescorer",
    "setup",
    "status",
    "verify",
    "verify_files",
    "waive",
    "watch_status",
]
