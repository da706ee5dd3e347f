"""docs/scoring.md §1.2: from samples to a board, rule by rule."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from steelyard.bench.weigh.category import busy_seconds
from steelyard.errors import IncomparableError, InputError
from steelyard.rows import Problem
from steelyard.stamp import Fingerprint, Stamp

HALF = [1.0, 0.0] * 25


def row_of(board: Any, model: str = "maker/one") -> Any:
    return next(row for row in board.rows if row.model == model)


def kinds(board: Any) -> list[str]:
    return sorted(each.kind for each in board.ignored)


def test_category_score_is_the_mean_over_scored_samples(make_board: Any, full: Any) -> None:
    row = row_of(make_board(*full("maker/one", HALF, 0.25, 1.0)))
    scores = {key: result.score for key, result in row.results.items()}
    assert scores == {"practice_exam": 0.5, "architecture_design": 0.25, "cdk_synth": 1.0}
    assert row.overall == pytest.approx(0.34 * 0.5 + 0.33 * 0.25 + 0.33)
    assert row.complete and row.rank == 1 and row.missing == ()


def test_epochs_count_per_sample_first(make_board: Any, log_row: Any, run_row: Any) -> None:
    log = log_row("practice_exam", 1.0, epochs=2)
    runs = [
        replace(run, scores=run_row("", 0.0, scorer="choice").scores) if run.epoch == 2 else run for run in log.runs
    ]
    result = row_of(make_board(replace(log, runs=tuple(runs)))).results["practice_exam"]
    assert (result.score, result.scored, result.expected) == (0.5, 100, 100)
    assert set(result.items.values()) == {0.5}


def test_a_category_never_run_counts_zero_and_is_listed_as_missing(make_board: Any, log_row: Any) -> None:
    row = row_of(make_board(log_row("practice_exam", 1.0)))
    assert row.overall == pytest.approx(0.34)
    assert row.missing == ("architecture_design", "cdk_synth")
    assert not row.complete and row.rank is None and row.interval is None


def test_coverage_below_the_minimum_through_our_fault_publishes_no_number(make_board: Any, log_row: Any) -> None:
    board = make_board(log_row("architecture_design", [0.9] * 26 + [None] * 2))  # 26/28 = .929
    row = row_of(board)
    assert row.results["architecture_design"].score is None and row.overall is None
    assert board.withheld == (("maker/one", "architecture_design"),)
    allowed = row_of(make_board(log_row("architecture_design", [0.9] * 26 + [None] * 2), min_coverage=0.9))
    assert allowed.results["architecture_design"].score == pytest.approx(0.9)


def test_one_unscored_run_above_the_minimum_is_still_not_a_full_run(make_board: Any, full: Any) -> None:
    row = row_of(make_board(*full("maker/one", 1.0, [0.9] * 27 + [None], 1.0)))
    assert row.results["architecture_design"].coverage == pytest.approx(27 / 28)
    assert row.overall is not None and not row.complete and row.rank is None


def test_an_eval_that_ended_in_an_error_loses_what_it_never_ran(make_board: Any, log_row: Any) -> None:
    log = log_row("practice_exam", HALF, status="error", error="provider went away")
    row = row_of(make_board(replace(log, runs=log.runs[:30])))
    result = row.results["practice_exam"]
    assert result.score is None and result.lost == 20
    assert "provider went away" in " ".join(result.remarks)


def test_an_errored_sample_is_unscored_never_zero(make_board: Any, log_row: Any, run_row: Any) -> None:
    log = log_row("practice_exam", 1.0)
    broken = run_row(log.runs[0].id, 0.0, scorer="choice", error="boom")
    result = row_of(make_board(replace(log, runs=(broken, *log.runs[1:])))).results["practice_exam"]
    assert result.score == 1.0 and result.scored == 49 and not result.complete


@pytest.mark.parametrize(
    "changes", [{"limited": True}, {"status": "cancelled"}, {"status": "started"}, {"status": "error"}]
)
def test_limited_or_unfinished_logs_never_look_like_a_full_run(make_board: Any, full: Any, changes: Any) -> None:
    row = row_of(make_board(*full("maker/one", 1.0, 1.0, 1.0, **changes)))
    assert not row.complete and row.rank is None and row.interval is None


def test_a_limited_log_shows_its_coverage(make_board: Any, log_row: Any) -> None:
    result = row_of(make_board(log_row("practice_exam", [1.0] * 10, limited=True))).results["practice_exam"]
    assert (result.score, result.coverage, result.complete) == (1.0, 0.2, False)


def test_a_log_that_claims_success_with_half_its_samples_is_partial(make_board: Any, log_row: Any) -> None:
    result = row_of(make_board(log_row("practice_exam", [1.0] * 25))).results["practice_exam"]
    assert result.coverage == 0.5 and not result.complete


def test_repeated_runs_cannot_pass_for_a_full_run(make_board: Any, log_row: Any) -> None:
    log = log_row("practice_exam", [1.0] * 25)
    result = row_of(make_board(replace(log, runs=log.runs * 2))).results["practice_exam"]
    assert result.scored == 25 and not result.complete
    once = log_row("practice_exam", {"easy": 1.0})
    repeated = tuple(replace(once.runs[0], epoch=epoch) for epoch in range(1, 51))
    result = row_of(make_board(replace(once, runs=repeated))).results["practice_exam"]
    assert result.scored == 1 and not result.complete, "the log has one epoch"


def test_baselines_take_no_rank(make_board: Any, full: Any) -> None:
    board = make_board(*full("steelyard/ceiling", 1.0, 1.0, 1.0), *full("maker/one", 0.0, 0.2, 0.0))
    ceiling, one = row_of(board, "steelyard/ceiling"), row_of(board)
    assert ceiling.baseline and ceiling.complete and ceiling.rank is None
    assert one.rank == 1 and not one.baseline
    assert not board.pairs  # a baseline is nobody's rival


def test_logs_of_one_task_id_are_one_run(make_board: Any, log_row: Any) -> None:
    done = log_row("practice_exam", 1.0, task_id="t")
    left = log_row("practice_exam", [0.0] * 20, task_id="t", status="started")  # newer, and unfinished
    board = make_board(done, left)
    assert row_of(board).results["practice_exam"].score == 1.0
    assert kinds(board) == ["superseded"]


def test_the_newest_complete_log_counts(make_board: Any, log_row: Any) -> None:
    older, newer = log_row("practice_exam", 0.0), log_row("practice_exam", HALF)
    partial = log_row("practice_exam", [1.0] * 10, limited=True)
    board = make_board(newer, partial, older)
    result = row_of(board).results["practice_exam"]
    assert result.score == 0.5 and result.logs == (newer.path,)
    assert kinds(board) == ["superseded", "superseded"]


def test_pool_averages_complete_logs_of_equal_fingerprint(make_board: Any, log_row: Any) -> None:
    logs = [log_row("practice_exam", 1.0), log_row("practice_exam", 0.0)]
    other = log_row("practice_exam", 0.0, fingerprint={"dataset": "d2"}, created="2020-01-01T00:00:00+00:00")
    board = make_board(*logs, other, pool=True)
    result = row_of(board).results["practice_exam"]
    assert result.score == 0.5 and set(result.items.values()) == {0.5}
    assert (result.scored, result.expected, len(result.logs)) == (100, 100, 2)
    assert kinds(board) == ["superseded"]


def test_heuristic_and_judge_scores_are_never_mixed(make_board: Any, log_row: Any) -> None:
    heuristic = log_row("architecture_design", 0.5)
    judged = log_row("architecture_design", 0.9, scorer="llm_judge_scorer", model="maker/two")
    with pytest.raises(IncomparableError, match="--scorer"):
        make_board(heuristic, judged)
    board = make_board(heuristic, judged, scorer="judge")
    assert [row.model for row in board.rows] == ["maker/two"] and kinds(board) == ["other scorer"]
    assert [row.model for row in make_board(heuristic, judged, scorer="heuristic").rows] == ["maker/one"]
    same = replace(judged, model="maker/one")
    with pytest.raises(IncomparableError):
        make_board(heuristic, same)


def test_scorer_leaves_other_categories_alone(make_board: Any, log_row: Any) -> None:
    assert row_of(make_board(log_row("practice_exam", 1.0), scorer="judge")).results["practice_exam"].score == 1.0


def test_two_diagram_modes_are_never_mixed(make_board: Any, log_row: Any) -> None:
    logs = [
        log_row("architecture_design", 0.5, model=f"maker/{mode}", fingerprint={"parameters": {"diagrams": mode}})
        for mode in ("text", "image")
    ]
    with pytest.raises(IncomparableError, match="--diagrams"):
        make_board(*logs)
    board = make_board(*logs, diagrams="text")
    assert [row.model for row in board.rows] == ["maker/text"] and kinds(board) == ["other diagrams"]


def test_the_row_names_its_scorer_per_category(make_board: Any, full: Any) -> None:
    row = row_of(make_board(*full("maker/one", 1.0, 1.0, 1.0)))
    assert row.results["cdk_synth"].scorer == "cdk_verify_local@1"


def test_both_cdk_verifiers_may_share_a_board(make_board: Any, full: Any, log_row: Any) -> None:
    one = full("maker/one", 1.0, 1.0, 1.0)
    two = (*full("maker/two", 1.0, 1.0, 1.0)[:2], log_row("cdk_synth", 0.0, model="maker/two", scorer="cdk_verify"))
    board = make_board(*one, *two)
    assert [row.rank for row in board.rows] == [1, 2]
    assert row_of(board, "maker/two").results["cdk_synth"].scorer == "cdk_verify@1"


def test_a_second_verifier_never_displaces_the_first_silently(make_board: Any, log_row: Any) -> None:
    older, newer = "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00"
    first = log_row("cdk_synth", 1.0, created=older)
    second = log_row("cdk_synth", 0.0, created=newer, scorer="cdk_verify")
    board = make_board(first, second)
    assert row_of(board).results["cdk_synth"].score == 1.0 and kinds(board) == ["other scorer"]
    [note] = [note for note in board.notes if "cdk_verify_local counts" in note]
    assert "they differ on 40 items" in note and "and 35 more" in note
    picked = make_board(first, second, scorer="cdk_verify")
    assert row_of(picked).results["cdk_synth"].score == 0.0
    unfinished = log_row("cdk_synth", 1.0, created=older, status="cancelled")
    board = make_board(unfinished, second)
    assert row_of(board).results["cdk_synth"].score == 0.0 and any("cdk_verify counts" in note for note in board.notes)


def test_category_comes_from_the_stamp_or_the_registered_name_never_the_file(make_board: Any, log_row: Any) -> None:
    named = log_row("practice_exam", 1.0, stamped=False)
    assert "practice_exam" in row_of(make_board(named)).results
    stamped = log_row("cdk_synth", 1.0, task="anything")
    assert "cdk_synth" in row_of(make_board(stamped)).results
    guess = log_row("practice_exam", 1.0, stamped=False, task="quiz", path="logs/practice_exam.eval")
    assert kinds(make_board(guess)) == ["foreign"]


def test_logs_of_other_wings_and_units_are_foreign(make_board: Any, log_row: Any) -> None:
    mark = Fingerprint("d", "s", "x@1")
    audit = log_row("practice_exam", 1.0, stamp=Stamp("audit", "practice_exam", mark))
    unknown = log_row("practice_exam", 1.0, stamp=Stamp("bench", "poetry", mark))
    board = make_board(audit, unknown)
    assert not board.rows and kinds(board) == ["foreign", "foreign"]


def test_copies_of_one_log_count_once(make_board: Any, log_row: Any) -> None:
    log = log_row("practice_exam", 1.0)
    board = make_board(log, replace(log, path="copy/a.eval"))
    assert kinds(board) == ["duplicate"] and row_of(board).results["practice_exam"].scored == 50


@pytest.mark.parametrize(
    ("forged", "field"),
    [
        ({"model": "maker/two", "created": "2020-01-01T00:00:00+00:00"}, "created, model"),
        ({"task": "quiz"}, "task"),
        ({"model_args": {"effort": 1}}, "model_args"),
        ({"epochs": 2}, "epochs"),
        ({"limited": True}, "limited"),
        ({"stamp": None}, "stamp"),
    ],
)
def test_a_forged_copy_does_not_displace_the_genuine_log(
    make_board: Any, log_row: Any, forged: dict[str, Any], field: str
) -> None:
    genuine, other = log_row("practice_exam", 1.0), log_row("practice_exam", 0.5, model="maker/three")
    board = make_board(genuine, replace(genuine, path="a.eval", **forged), other)
    assert kinds(board) == ["conflicting", "conflicting"] and [row.model for row in board.rows] == ["maker/three"]
    assert all(f"differs in {field};" in each.reason for each in board.ignored)
    assert genuine.path in board.ignored[0].reason and "a.eval" in board.ignored[1].reason


def test_a_copy_with_other_scores_is_a_conflict(make_board: Any, log_row: Any) -> None:
    genuine, better = log_row("practice_exam", 0.5), log_row("practice_exam", 1.0)
    board = make_board(genuine, replace(genuine, path="a.eval", runs=better.runs))
    assert not board.rows and all("differs in scores" in each.reason for each in board.ignored)


def test_a_copy_made_while_the_run_went_on_is_a_copy(make_board: Any, log_row: Any) -> None:
    whole = log_row("practice_exam", 1.0)
    early = replace(whole, path="a.eval", status="started", runs=whole.runs[:20])
    board = make_board(early, whole)
    assert [each.path for each in board.ignored] == ["a.eval"] and kinds(board) == ["duplicate"]
    assert row_of(board).results["practice_exam"].complete


def test_a_name_with_line_breaks_is_one_name(make_board: Any, log_row: Any) -> None:
    [row] = make_board(log_row("practice_exam", 1.0, model="maker/one\n– maker/two 99%")).rows
    assert row.model == "maker/one – maker/two 99%"


def test_time_side_by_side_counts_once_and_pauses_count_nothing() -> None:
    def at(*seconds: int) -> list[datetime]:
        return [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=each) for each in seconds]

    # 0–10 and 2–5 and 8–12 overlap: 12 s; a pause; 100–103: 3 s. A span that ends before it begins adds nothing.
    spans = [at(0, 10), at(2, 5), at(8, 12), at(100, 103), at(50, 40)]
    assert busy_seconds([(begin, end) for begin, end in spans]) == 15.0
    assert busy_seconds([]) is None


def test_corrupt_logs_are_listed_and_do_not_stop_the_others(make_board: Any, log_row: Any) -> None:
    board = make_board(log_row("practice_exam", 1.0), problems=[Problem("bad.eval", "not a zip")])
    assert kinds(board) == ["corrupt"] and len(board.rows) == 1


def test_a_cancelled_log_without_a_score_is_not_run(make_board: Any, full: Any, log_row: Any) -> None:
    exam, design, _ = full("maker/one", 1.0, 1.0, 1.0)
    empty = log_row("cdk_synth", {}, status="cancelled")
    board = make_board(exam, design, empty)
    assert row_of(board).missing == ("cdk_synth",) and kinds(board) == ["empty"]


def test_two_arguments_under_one_name_are_two_subjects(make_board: Any, log_row: Any) -> None:
    board = make_board(
        log_row("practice_exam", 1.0, model_args={"quantized": True}),
        log_row("practice_exam", 0.0),
        log_row("practice_exam", HALF, generate_config={"temperature": 1.0}),
    )
    assert sorted(row.model for row in board.rows) == [
        "maker/one [defaults]",
        "maker/one [quantized=true]",
        "maker/one [temperature=1.0]",
    ]


def test_settings_that_only_affect_speed_do_not_split_a_subject(make_board: Any, log_row: Any) -> None:
    slow = log_row("practice_exam", 1.0, generate_config={"temperature": 0.0, "max_connections": 1, "seed": 7})
    assert len(make_board(slow, log_row("cdk_synth", 1.0)).rows) == 1


def test_no_two_subjects_share_a_name(make_board: Any, full: Any) -> None:
    one, two = full("maker/one", 1.0, 1.0, 1.0, label="a (2)"), full("maker/two", 0.5, 0.5, 0.5, label="a")
    assert [(row.model, row.rank) for row in make_board(*one, *two).rows] == [("a (2)", 1), ("a", 2)]


def test_equal_scores_stand_by_name_whatever_the_last_digit(make_board: Any, full: Any) -> None:
    rows = make_board(*full("maker/b", 1.0, 0.5 + 1e-9, 1.0), *full("maker/a", 1.0, 0.5, 1.0)).rows
    assert [(row.model, row.rank) for row in rows] == [("maker/a", 1), ("maker/b", 1)]


def test_a_label_is_the_subject(make_board: Any, log_row: Any) -> None:
    board = make_board(
        log_row("practice_exam", 1.0, label="ours"), log_row("cdk_synth", 1.0, label="ours", model="maker/two")
    )
    assert [row.model for row in board.rows] == ["ours"]


def test_rows_of_another_fingerprint_are_shown_but_not_ranked(make_board: Any, full: Any) -> None:
    odd = full("maker/odd", 1.0, 1.0, 1.0, fingerprint={"dataset": "older"})
    board = make_board(*odd, *full("maker/one", 0.5, 0.5, 0.5), *full("maker/two", 0.4, 0.4, 0.4))
    row = row_of(board, "maker/odd")
    assert row.rank is None and "practice_exam: dataset" in row.incomparable
    assert [each.rank for each in board.rows] == [None, 1, 2]
    assert any("maker/odd" in note for note in board.notes)


def test_failure_classes_are_counted(make_board: Any, log_row: Any, run_row: Any) -> None:
    log = log_row("cdk_synth", 0.0)
    named = [
        run_row(run.id, 0.0, scorer="cdk_verify_local", metadata={"class": "import_error"}) for run in log.runs[:3]
    ]
    result = row_of(make_board(replace(log, runs=(*named, *log.runs[3:])))).results["cdk_synth"]
    assert result.failures == {"import_error": 3}


def test_usage_is_the_subjects_own_and_unknown_is_unknown(make_board: Any, log_row: Any, run_row: Any) -> None:
    usage = {
        "maker/one": {"input_tokens": 10, "output_tokens": 5},
        "maker/judge": {"input_tokens": 9000, "output_tokens": 900, "total_cost": 1.0},
    }
    log = log_row("practice_exam", 1.0)
    runs = tuple(run_row(run.id, 1.0, scorer="choice", usage=usage) for run in log.runs)
    found = row_of(make_board(replace(log, runs=runs))).results["practice_exam"].usage
    assert (found.input_tokens, found.output_tokens, found.cost_usd) == (500, 250, None)


@pytest.mark.parametrize("ratings", [[1], {"a": 1}, {"a": ["x", "y"]}, {"a": [float("nan"), 1]}, {"a": [10**400, 1]}])
@pytest.mark.parametrize("unusable", [1, [1], ["a", 1], [1, float("nan")]], ids=str)
def test_what_a_log_says_of_its_judge_may_be_anything(
    make_board: Any, log_row: Any, ratings: Any, unusable: Any
) -> None:
    log = log_row("architecture_design", 0.5, scorer="llm_judge_scorer", fingerprint={"judge": "a/judge"})
    metadata = {"judge_ratings": ratings, "judge_unusable": unusable}
    runs = [
        replace(run, scores={name: replace(score, metadata=metadata) for name, score in run.scores.items()})
        for run in log.runs
    ]
    result = row_of(make_board(replace(log, runs=tuple(runs)))).results["architecture_design"]
    assert (result.score, result.judge_agreement, result.judge_unusable) == (0.5, None, None)


def test_an_impossible_score_is_unscored(make_board: Any, log_row: Any) -> None:
    result = row_of(make_board(log_row("practice_exam", [5.0, -1.0] + [1.0] * 48))).results["practice_exam"]
    assert result.score == 1.0 and result.scored == 48 and result.unscored == {"harness": 2}


def test_an_unknown_scorer_is_bad_input(make_board: Any, log_row: Any) -> None:
    with pytest.raises(InputError, match="nonsense"):
        make_board(log_row("practice_exam", 1.0), scorer="nonsense")


def test_beyond_a_few_hundred_subjects_only_the_best_are_paired(
    make_board: Any, full: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("analysis.pairs", "weigh"):
        monkeypatch.setattr(f"steelyard.bench.{module}.PAIRED", 2)
    logs = [log for n in range(3) for log in full(f"maker/{n}", [1.0] * (40 - n) + [0.0] * (10 + n), 0.5, 1.0)]
    board = make_board(*logs)
    assert [row.tie_group for row in board.rows] == [1, 1, None] and [row.rank for row in board.rows] == [1, 2, 3]
    assert any("only the best 2" in note for note in board.notes)


def test_samples_stopped_by_ctrl_c_count_as_not_run_instead_of_lost(
    make_board: Any, log_row: Any, run_row: Any
) -> None:
    log = log_row("practice_exam", [1.0] * 20, status="cancelled")
    stopped = tuple(run_row(f"x{n}", 0.0, scorer="choice", error='CancelledError("…")') for n in range(5))
    result = row_of(make_board(replace(log, runs=(*log.runs, *stopped)))).results["practice_exam"]
    assert result.score == 1.0 and result.lost == 0 and not result.complete
    assert kinds(make_board(replace(log, runs=stopped))) == ["empty"]


def test_a_partial_run_does_not_make_two_kinds_of_items_comparable(make_board: Any, full: Any, log_row: Any) -> None:
    # Equal fingerprints, other item ids: what a hand-made log can claim. The partial row stands first and fits both.
    partial = log_row("practice_exam", [1.0] * 10, model="maker/partial", limited=True)
    other = [
        replace(row, runs=tuple(replace(run, id=f"x-{run.id}") for run in row.runs)) for row in full("maker/z", 1, 1, 1)
    ]
    board = make_board(partial, *full("maker/one", 1, 1, 1), *full("maker/two", 1, 1, 1), *other)
    assert {row.model: row.rank for row in board.rows}["maker/z"] is None
    [stranger] = [row for row in board.rows if row.model == "maker/z"]
    assert "practice_exam: samples" in stranger.incomparable
