"""The public verbs, for programs: the same answers as the command line, as frozen data instead of text.

    from steelyard import api

    board = api.leaderboard("logs")                                  # who is best?
    result = api.audit_score(key="key.md", runs="run1.md", lexical=True)   # did it find what we know is there?
    weighed = api.compare("before.eval", "after.eval")               # may this change ship?

Functions raise a `SteelyardError` that names the cause and the cure, and print nothing. Importing this package is
cheap: each function imports what it needs when it is called.

Names are flat and unique: a verb that several wings have carries its wing (`gate_run`, `audit_compare`,
`bench_check`). The functions live in modules beside this one; `scripts/api-docs` writes docs/api.md
from what is exported here.
"""

from __future__ import annotations

# Type checkers take a name for exported only if it is imported as itself.
from steelyard.api.analysis import BenchCompare as BenchCompare
from steelyard.api.analysis import BenchHistory as BenchHistory
from steelyard.api.analysis import BenchSubmit as BenchSubmit
from steelyard.api.analysis import bench_check as bench_check
from steelyard.api.analysis import bench_diff as bench_diff
from steelyard.api.analysis import bench_drift as bench_drift
from steelyard.api.analysis import bench_history as bench_history
from steelyard.api.analysis import bench_items as bench_items
from steelyard.api.analysis import bench_submit as bench_submit
from steelyard.api.analysis import reproduce as reproduce
from steelyard.api.audit import AuditCompare as AuditCompare
from steelyard.api.audit import AuditRun as AuditRun
from steelyard.api.audit import AuditScore as AuditScore
from steelyard.api.audit import audit_compare as audit_compare
from steelyard.api.audit import audit_run as audit_run
from steelyard.api.audit import audit_score as audit_score
from steelyard.api.bench import BenchBoard as BenchBoard
from steelyard.api.bench import BenchRun as BenchRun
from steelyard.api.bench import bench as bench
from steelyard.api.bench import bench_pin as bench_pin
from steelyard.api.bench import bench_plan as bench_plan
from steelyard.api.bench import bench_preview as bench_preview
from steelyard.api.bench import bench_report as bench_report
from steelyard.api.bench import bench_selftest as bench_selftest
from steelyard.api.bench import leaderboard as leaderboard
from steelyard.api.blame import GateBisect as GateBisect
from steelyard.api.blame import GateBlame as GateBlame
from steelyard.api.blame import GatePrune as GatePrune
from steelyard.api.blame import gate_bisect as gate_bisect
from steelyard.api.blame import gate_blame as gate_blame
from steelyard.api.blame import gate_blame_plan as gate_blame_plan
from steelyard.api.blame import gate_prune as gate_prune
from steelyard.api.exemptions import GateQuarantine as GateQuarantine
from steelyard.api.exemptions import GateWaive as GateWaive
from steelyard.api.exemptions import quarantine as quarantine
from steelyard.api.exemptions import waive as waive
from steelyard.api.gate import GateCheck as GateCheck
from steelyard.api.gate import GateCompare as GateCompare
from steelyard.api.gate import GateRun as GateRun
from steelyard.api.gate import compare as compare
from steelyard.api.gate import gate_check as gate_check
from steelyard.api.gate import gate_plan as gate_plan
from steelyard.api.gate import gate_preview as gate_preview
from steelyard.api.gate import gate_report as gate_report
from steelyard.api.gate import gate_run as gate_run
from steelyard.api.judge import CalibratedJudge as CalibratedJudge
from steelyard.api.judge import JudgeAttack as JudgeAttack
from steelyard.api.judge import JudgeCalibrate as JudgeCalibrate
from steelyard.api.judge import Rescoring as Rescoring
from steelyard.api.judge import attack as attack
from steelyard.api.judge import calibrate as calibrate
from steelyard.api.judge import labels as labels
from steelyard.api.judge import rescore as rescore
from steelyard.api.judge import rescorer as rescorer
from steelyard.api.machine import DemoRun as DemoRun
from steelyard.api.machine import LogStatus as LogStatus
from steelyard.api.machine import MachineSetup as MachineSetup
from steelyard.api.machine import clean as clean
from steelyard.api.machine import demo as demo
from steelyard.api.machine import doctor as doctor
from steelyard.api.machine import setup as setup
from steelyard.api.machine import status as status
from steelyard.api.machine import watch_status as watch_status
from steelyard.api.marking import AuditCheck as AuditCheck
from steelyard.api.marking import AuditMark as AuditMark
from steelyard.api.marking import audit_ask as audit_ask
from steelyard.api.marking import audit_check as audit_check
from steelyard.api.marking import audit_findings as audit_findings
from steelyard.api.marking import audit_import as audit_import
from steelyard.api.marking import audit_key as audit_key
from steelyard.api.marking import audit_mark as audit_mark
from steelyard.api.marking import audit_prove as audit_prove
from steelyard.api.marking import audit_sheet as audit_sheet
from steelyard.api.own import BenchApps as BenchApps
from steelyard.api.own import BenchNew as BenchNew
from steelyard.api.own import BenchScore as BenchScore
from steelyard.api.own import bench_new as bench_new
from steelyard.api.own import bench_schema as bench_schema
from steelyard.api.own import bench_score as bench_score
from steelyard.api.own import bench_suite as bench_suite
from steelyard.api.own import verify as verify
from steelyard.api.own import verify_files as verify_files
from steelyard.api.planning import GateMeasure as GateMeasure
from steelyard.api.planning import GatePlan as GatePlan
from steelyard.api.planning import gate_noise as gate_noise
from steelyard.api.planning import gate_power as gate_power
from steelyard.api.promotion import GatePromote as GatePromote
from steelyard.api.promotion import gate_comment as gate_comment
from steelyard.api.promotion import promote as promote
from steelyard.api.starting import AuditExample as AuditExample
from steelyard.api.starting import AuditPlant as AuditPlant
from steelyard.api.starting import GateExample as GateExample
from steelyard.api.starting import GateHarvest as GateHarvest
from steelyard.api.starting import audit_example as audit_example
from steelyard.api.starting import audit_example_copy as audit_example_copy
from steelyard.api.starting import audit_plant as audit_plant
from steelyard.api.starting import gate_example as gate_example
from steelyard.api.starting import gate_example_copy as gate_example_copy
from steelyard.api.starting import gate_harvest as gate_harvest
from steelyard.api.starting import gate_init as gate_init
from steelyard.api.watching import GateAccept as GateAccept
from steelyard.api.watching import GateWatch as GateWatch
from steelyard.api.watching import gate_accept as gate_accept
from steelyard.api.watching import gate_watch as gate_watch
from steelyard.api.watching import gate_watch_issue as gate_watch_issue
