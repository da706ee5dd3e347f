"""Any two Inspect logs of anybody's task: a regression gate for every Inspect user."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalResults,
    EvalSample,
    EvalSpec,
    write_eval_log,
)
from inspect_ai.log._log import EvalMetric, EvalMetricDefinition, EvalScore, EvalScorer
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ContentImage, ContentText, ModelConfig
from inspect_ai.scorer import Score, value_to_float

from steelyard import api
from steelyard.cli.main import main
from steelyard.errors import InputError, LogError
from steelyard.gate.model import Comparison, NoVerdict, Side
from steelyard.gate.read.arm import read_rows
from steelyard.gate.read.foreign import foreign_arm
from steelyard.gate.read.views import read_views

Make = Callable[..., str]


@pytest.fixture
def log(tmp_path: Path) -> Make:
    """A log of somebody's task with these scores by sample id."""

    def make(
        name: str,
        scores: dict[str, Any],
        *,
        scorer: str = "match",
        status: str = "success",
        results: EvalResults | None = None,
        sample: dict[str, Any] | None = None,
        dataset: str | None = None,
        **spec: Any,
    ) -> str:
        samples = [
            EvalSample(
                id=key,
                epoch=1,
                **{"input": "q", "target": "a", **(sample or {})},
                messages=[ChatMessageAssistant(content=f"sample {key} of {name}")],
                scores={} if value is None else _scores(scorer, value),
            )
            for key, value in scores.items()
        ]
        eval_spec = EvalSpec(
            created="2026-01-01T00:00:00+00:00",
            task="quiz",
            dataset=EvalDataset(name=dataset, samples=len(samples), sample_ids=[one.id for one in samples]),
            model="mockllm/model",
            config=EvalConfig(),
            **spec,
        )
        path = str(tmp_path / name)
        write_eval_log(EvalLog(eval=eval_spec, status=status, samples=samples, results=results), path)  # type: ignore[arg-type]
        return path

    return make


def _scores(scorer: str, value: Any) -> dict[str, Score]:
    if isinstance(value, dict) and "scorers" in value:
        return {name: Score(value=each) for name, each in value["scorers"].items()}
    return {scorer: Score.unscored(reason="judge") if value == "unscored" else Score(value=value)}


@pytest.mark.parametrize(
    ("base", "cand", "verdict", "kinds"),
    [
        ({"1": "C", "2": "I"}, {"1": "C", "2": "C"}, "improved", set()),
        ({"1": "C", "2": "I"}, {"1": "C", "2": "I"}, "neutral", set()),
        ({"1": "C", "2": "I"}, {"1": "I", "2": "C"}, "regressed", {"objective", "composite"}),
        ({"1": 1, "2": 0}, {"1": 1.0, "2": True}, "improved", set()),
        # numbers are composites: 0.5 → 0.46 is a net loss, 0.5 → 0.4 a hard regression
        ({"1": 0.5}, {"1": 0.46}, "neutral", set()),
        ({"1": 0.5}, {"1": 0.4}, "regressed", {"composite"}),
        ({"1": 0.5, "2": 1}, {"1": 0.6, "2": 1}, "improved", set()),
        ({"1": "C", "2": "C"}, {"1": "C"}, "regressed", {"missing"}),
        ({"1": "C"}, {"1": "C", "2": "C"}, "neutral", set()),
    ],
)
def test_scores_are_checks_or_composites(
    log: Make, base: dict[str, Any], cand: dict[str, Any], verdict: str, kinds: set[str]
) -> None:
    outcome = api.compare([log("b.eval", base)], [log("c.eval", cand)]).outcome
    assert isinstance(outcome, Comparison)
    assert outcome.verdict == verdict and {each.kind for each in outcome.regressions} == kinds


@pytest.mark.parametrize(
    ("base", "cand", "reason"),
    [
        ({"1": "C"}, {"1": "unscored"}, "candidate: 1 (round 1) is unscored because of the judge"),
        ({"1": None}, {"1": "C"}, "the run has no score"),
        ({"1": None, "2": None, "3": "C"}, {"1": "C"}, "baseline: 1 (round 1) and 1 more run are unscored because"),
        ({"1": float("nan")}, {"1": "C"}, "baseline: 1 (round 1) is unscored"),
        ({"1": 5.0}, {"1": 7.0}, "outside [0, 1]"),
        ({"1": "C"}, {"2": "C"}, "no task in common"),
    ],
)
def test_what_cannot_be_weighed_gives_no_verdict(
    log: Make, base: dict[str, Any], cand: dict[str, Any], reason: str
) -> None:
    outcome = api.compare([log("b.eval", base)], [log("c.eval", cand)]).outcome
    assert isinstance(outcome, NoVerdict) and reason in " ".join(outcome.reasons)


def test_unequal_fingerprints_are_refused_by_naming_the_field(log: Make) -> None:
    one = log("b.eval", {"1": "C"}, task_args={"level": 1})
    other = log("c.eval", {"1": "C"}, task_args={"level": 2})
    outcome = api.compare([one], [other]).outcome
    assert isinstance(outcome, NoVerdict) and "level is 1 and 2" in outcome.reasons[0]
    outcome = api.compare([one], [log("d.eval", {"1": "C"}, scorer="other", task_args={"level": 1})]).outcome
    assert isinstance(outcome, NoVerdict) and 'scorer is "match" and "other"' in outcome.reasons[0]


GRADED = [EvalScorer(name="inspect_ai/model_graded_qa", options={"model": None, "template": "T"})]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"sample": {"input": "another question"}}, "the input of sample 1 differs"),
        ({"sample": {"input": [ChatMessageUser(content="q, but longer")]}}, "the input of sample 1 differs"),
        ({"sample": {"choices": ["a", "b"]}}, "the input of sample 1 differs"),
        ({"sample": {"target": ["a", "b"]}}, "the target of sample 1 differs"),
        ({"sample": {"input": "x", "target": "y"}}, "the input and the target of sample 1 differ"),
        ({"dataset": "hard"}, 'dataset is "easy" and "hard"'),
        ({"scorers": [EvalScorer(name="match", options={"location": "any"})]}, 'scorer.location is "end" and "any"'),
        ({"scorers": [EvalScorer(name="own/match", options={"location": "end"})]}, 'package is absent and "own"'),
        ({"task_version": 2}, 'task_version is "0" and "2"'),
        ({"model_roles": {"quality_judge": ModelConfig(model="a/b")}}, 'role quality_judge is absent and "a/b"'),
    ],
)
def test_other_questions_and_other_grading_do_not_compare(log: Make, other: dict[str, Any], said: str) -> None:
    same: dict[str, Any] = {"dataset": "easy", "scorers": [EvalScorer(name="match", options={"location": "end"})]}
    base = log("b.eval", {"1": "C"}, **same)
    assert isinstance(api.compare([base], [log("c.eval", {"1": "C"}, **same)]).outcome, Comparison)
    outcome = api.compare([base], [log("c.eval", {"1": "C"}, **{**same, **other})]).outcome
    assert isinstance(outcome, NoVerdict) and any(said in reason for reason in outcome.reasons)


@pytest.mark.parametrize(
    "other",
    [
        {"model_roles": {"grader": ModelConfig(model="openai/b")}},
        {"scorers": [EvalScorer(name="inspect_ai/model_graded_qa", options={"model": "openai/b", "template": "T"})]},
        {"scorers": [EvalScorer(name="inspect_ai/model_graded_qa", options={"template": "another"})]},
    ],
)
def test_another_grader_does_not_compare(log: Make, other: dict[str, Any]) -> None:
    same: dict[str, Any] = {"scorer": "model_graded_qa", "scorers": GRADED}
    same |= {"model_roles": {"grader": ModelConfig(model="openai/a")}}
    base = log("b.eval", {"1": "C"}, **same)
    assert isinstance(api.compare([base], [log("c.eval", {"1": "C"}, **same)]).outcome, Comparison)
    assert isinstance(api.compare([base], [log("c.eval", {"1": "C"}, **{**same, **other})]).outcome, NoVerdict)


def test_the_options_of_a_scorer_in_a_log_that_lists_no_scorers_are_in_its_results(log: Make, tmp_path: Path) -> None:
    for name, tolerance in (("b", 0.1), ("c", 0.1), ("d", 0.2)):
        data = json.loads(Path(log(f"{name}.json", {"1": "C"})).read_text())
        score = {"name": "match", "scorer": "match", "params": {"tolerance": tolerance}, "metrics": {}}
        data["results"] = {"total_samples": 1, "completed_samples": 1, "scores": [score]}
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
    base, same, other = (tmp_path / f"{name}.json" for name in "bcd")
    assert isinstance(api.compare([base], [same]).outcome, Comparison)
    outcome = api.compare([base], [other]).outcome
    assert isinstance(outcome, NoVerdict) and "scorer.tolerance is 0.1 and 0.2" in outcome.reasons[0]


def test_other_models_than_the_subject_are_named_if_they_differ(log: Make, tmp_path: Path) -> None:
    for name, judge in (("b", "maker/one"), ("c", "maker/two")):
        data = json.loads(Path(log(f"{name}.json", {"1": "C"})).read_text())
        data["stats"]["model_usage"] = {judge: {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
    warnings = api.compare([tmp_path / "b.json"], [tmp_path / "c.json"]).warnings
    assert "differs: maker/one and maker/two" in str(warnings)


@pytest.mark.parametrize(
    ("counts", "tokens"),
    [
        ([{"total_tokens": 12}, {"total_tokens": 3}], 15),
        ([{"total_tokens": 12}, {"input_tokens": 3}], None),  # 12 and what nobody knows
        ([{"input_tokens": 12}, {"input_tokens": 3}], None),
    ],
)
def test_tokens_that_nobody_counted_are_unknown_and_not_zero(
    log: Make, counts: list[dict[str, int]], tokens: int | None
) -> None:
    (row,) = read_rows([log("b.eval", {"1": "C"})], "baseline")
    (run,) = row.runs
    counted = replace(run, usage={f"maker/{place}": count for place, count in enumerate(counts)})
    assert foreign_arm([replace(row, runs=[counted])], "baseline", None).runs[0].cost.tokens == tokens


def test_the_newest_of_several_logs_counts_whatever_the_offsets(log: Make) -> None:
    # 22:30 and 23:00 in UTC; as texts, the first would be the newer one.
    times = ("2026-03-01T00:30:00+02:00", "2026-02-28T23:00:00+00:00")
    rows = read_rows([log("a.eval", {"1": "C"}), log("b.eval", {"1": "C"})], "baseline")
    rows = tuple(replace(row, created=created) for row, created in zip(rows, times, strict=True))
    assert foreign_arm(rows[::-1], "baseline", None).side.sources == (rows[1].path,)


def test_a_sample_that_only_one_side_has_is_no_other_question(log: Make) -> None:
    outcome = api.compare([log("b.eval", {"1": "C", "2": "C"})], [log("c.eval", {"1": "C"})]).outcome
    assert isinstance(outcome, Comparison) and outcome.regressions[0].kind == "missing"


def test_texts_are_numbers_where_inspect_takes_them_for_numbers(log: Make) -> None:
    values = {"1": "yes", "2": "No", "3": "TRUE", "4": "0.4", "5": "1e0", "6": "P", "7": True, "8": 0.25}
    outcome = api.compare([log("b.eval", values)], [log("c.eval", values)]).outcome
    assert isinstance(outcome, Comparison)
    to_float = value_to_float()
    assert {each.task: each.baseline.composite for each in outcome.tasks} == {
        key: to_float(value) for key, value in values.items()
    }
    for text in ("maybe", "nan", "inf", ""):
        assert isinstance(api.compare([log("d.eval", {"1": text})], [log("e.eval", {"1": text})]).outcome, NoVerdict)


def test_the_cure_for_a_score_with_several_values_names_them(log: Make) -> None:
    values = {"1": {"f1": 0.5, "exact": 1}, "2": {"f1": 0.75, "exact": 0}}
    base, cand = log("b.eval", values), log("c.eval", values)
    with pytest.raises(InputError, match=r"--scorer: match\.exact, match\.f1"):
        api.compare([base], [cand])
    with pytest.raises(InputError, match=r"--scorer: match\.exact, match\.f1"):
        api.compare([base], [cand], scorer="match")
    outcome = api.compare([base], [cand], scorer="match.f1").outcome
    assert isinstance(outcome, Comparison) and outcome.tasks[1].baseline.composite == 0.75


def test_one_of_several_scorers_is_picked_by_name(log: Make) -> None:
    both = {"scorers": {"a": "C", "b": {"x": 0.5, "y": 0.2}}}
    less = {"scorers": {"a": "C", "b": {"x": 0.1, "y": 0.2}}}
    sides = [log("b.eval", {"1": both})], [log("c.eval", {"1": less})]
    with pytest.raises(InputError, match="several scorers"):
        api.compare(*sides)
    verdicts = {name: api.compare(*sides, scorer=name).outcome.verdict for name in ("a", "b.x", "b.y")}  # type: ignore[union-attr]
    assert verdicts == {"a": "neutral", "b.x": "regressed", "b.y": "neutral"}


def test_logs_and_results_files_do_not_mix(log: Make, tmp_path: Path) -> None:
    results = tmp_path / "r.json"
    results.write_text('{"scores": [{"task": "1", "passed": 1, "total": 1}]}')
    outcome = api.compare([log("b.eval", {"1": "C"})], [str(results)]).outcome
    assert isinstance(outcome, NoVerdict) and "cannot be compared" in outcome.reasons[0]


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 cut off"])
def test_a_broken_log_is_named_and_ends_in_2(log: Make, tmp_path: Path, content: bytes) -> None:
    broken = tmp_path / "broken.eval"
    broken.write_bytes(content)
    with pytest.raises(LogError, match=r"broken\.eval"):
        api.compare([log("b.eval", {"1": "C"})], [str(broken)])
    found = CliRunner().invoke(main, ["gate", "compare", log("b.eval", {"1": "C"}), str(broken)])
    assert found.exit_code == 2 and "Traceback" not in found.output


def test_an_empty_folder_or_a_log_without_runs_is_never_fine(log: Make, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    good = log("b.eval", {"1": "C"})
    assert CliRunner().invoke(main, ["gate", "compare", good, str(tmp_path / "empty")]).exit_code == 2
    assert CliRunner().invoke(main, ["gate", "compare", good, log("none.eval", {})]).exit_code == 2


def test_a_run_that_is_twice_in_a_log_is_refused(log: Make, tmp_path: Path) -> None:
    twice = json.loads(Path(log("once.json", {"1": "C", "2": "I"})).read_text())
    twice["samples"].append({**twice["samples"][1], "scores": {"match": {"value": "C"}}})
    (tmp_path / "twice.json").write_text(json.dumps(twice))
    with pytest.raises(LogError, match="is in it twice"):
        api.compare([tmp_path / "once.json"], [tmp_path / "twice.json"])


def results(mean: float, *, metric: str = "accuracy", key: str = "match", completed: int = 2) -> EvalResults:
    """What a log says of two samples."""
    score = EvalScore(name=key, scorer="match", metrics={metric: EvalMetric(name=metric, value=mean)})
    return EvalResults(total_samples=completed, completed_samples=completed, scores=[score])


@pytest.mark.parametrize(
    ("scores", "claims", "said"),
    [
        ({"1": "C", "2": "C"}, results(0.5), "the mean of match is 0.5 in its results, and 1 in its samples"),
        ({"1": 0.25, "2": 0.75}, results(0.4, metric="mean"), "0.4 in its results, and 0.5 in"),
        ({"1": {"a": 1}, "2": {"a": 0}}, results(1.0, key="a"), "1 in its results, and 0.5 in"),
        ({"1": "C", "2": "C"}, results(1.0, completed=3), "3 runs completed by its results, and it has 2"),
    ],
)
def test_results_that_contradict_the_samples_are_refused(
    log: Make, scores: dict[str, Any], claims: EvalResults, said: str
) -> None:
    scorer = "match.a" if isinstance(scores["1"], dict) else None
    with pytest.raises(LogError, match=re.escape(said)):
        api.compare([log("a.eval", scores)], [log("b.eval", scores, results=claims)], scorer=scorer)


def test_results_that_need_not_be_the_mean_of_the_samples_are_believed(log: Make) -> None:
    foreign = EvalScorer(name="match", metrics=[EvalMetricDefinition(name="theirs/accuracy")])
    base = log("a.eval", {"1": "C", "2": "I"}, results=results(0.5), scorers=[foreign])
    for claims in (results(0.3), results(0.3, metric="f1"), results(0.5, completed=1)):
        assert api.compare([base], [log("b.eval", {"1": "C", "2": "I"}, results=claims, scorers=[foreign])])


LONG = "Read this. " * 1_000
PICTURE = "data:image/png;base64,"


def asked(*parts: str) -> dict[str, Any]:
    """A sample that asks with a picture."""
    shown = [ContentText(text="What is this?"), *(ContentImage(image=f"{PICTURE}{part}") for part in parts)]
    return {"input": [ChatMessageUser(content=list(shown))]}


@pytest.mark.parametrize("ending", ["eval", "json"])
@pytest.mark.parametrize(
    ("one", "other"), [({"input": f"{LONG}Say a."}, {"input": f"{LONG}Say b."}), (asked("AAAA"), asked("BBBB"))]
)
def test_questions_that_differ_where_summaries_are_cut_do_not_compare(
    log: Make, ending: str, one: dict[str, Any], other: dict[str, Any]
) -> None:
    base, same, different = (
        log(f"{name}.{ending}", {"1": "C"}, sample=sample) for name, sample in (("a", one), ("b", one), ("c", other))
    )
    assert isinstance(api.compare([base], [same]).outcome, Comparison)
    outcome = api.compare([base], [different]).outcome
    assert isinstance(outcome, NoVerdict) and "the input of sample 1 differs" in str(outcome.reasons)


def test_samples_without_a_counterpart_are_said_aloud(log: Make) -> None:
    found = api.compare([log("b.eval", {"1": "C"})], [log("c.eval", {"1": "C", "2": "I", "3": "I"})])
    assert isinstance(found.outcome, Comparison) and found.outcome.verdict == "neutral"
    assert any("2 of 3 samples" in warning and "limited" in warning for warning in found.warnings)


def test_a_view_comes_from_the_log_of_its_own_task_where_ids_repeat(log: Make) -> None:
    quiz = log("quiz.eval", {"1": "C", "a:b": "I"})
    exam = log("exam.eval", {"1": "C"}, task_registry_name="exam")
    side = Side("baseline", "log", (quiz, exam), 3, 1)
    views = read_views(side, ["quiz:1", "exam:1", "quiz:a:b", "exam:nobody"])
    assert {task: runs[0].steps[-1].says.splitlines()[-1] for task, runs in views.items()} == {
        "quiz:1": "sample 1 of quiz.eval",
        "exam:1": "sample 1 of exam.eval",
        "quiz:a:b": "sample a:b of quiz.eval",
    }
    assert read_views(Side("baseline", "log", (quiz,), 2, 1), ["a:b"]).keys() == {"a:b"}


@pytest.mark.parametrize("value", ["banana", [1, 0]])
def test_a_score_that_cannot_be_read_is_named_and_not_what_its_scorer_explained(
    log: Make, tmp_path: Path, value: Any
) -> None:
    data = json.loads(Path(log("b.json", {"1": value})).read_text())
    data["samples"][0]["scores"]["match"]["explanation"] = "Yes, this is right."
    (tmp_path / "b.json").write_text(json.dumps(data))
    outcome = api.compare([tmp_path / "b.json"], [log("c.json", {"1": "C"})]).outcome
    assert isinstance(outcome, NoVerdict) and f"the score {value!r} is not a number" in str(outcome.reasons)


@pytest.mark.parametrize(("value", "more"), [(0.25, ()), ({"x": 0.25}, ("match.x",))])
def test_a_number_without_a_float_is_no_score(log: Make, tmp_path: Path, value: Any, more: tuple[str, ...]) -> None:
    text = Path(log("b.json", {"1": value})).read_text()
    (tmp_path / "b.json").write_text(text.replace("0.25", "1" + "0" * 400))
    chosen = dict(zip(("scorer",), more, strict=False))
    outcome = api.compare([tmp_path / "b.json"], [log("c.json", {"1": value})], **chosen).outcome
    assert isinstance(outcome, NoVerdict) and "1 (round 1) is unscored because of the harness" in outcome.reasons[0]


def test_a_run_that_broke_off_is_unscored_whatever_a_scorer_made_of_it(log: Make) -> None:
    """Inspect scores it under `score_on_error`; its 0 is not the subject's (§0)."""
    error = EvalError(message="503 overloaded", traceback="", traceback_ansi="")
    broken = log("c.eval", {"1": "I"}, sample={"error": error})
    outcome = api.compare([log("b.eval", {"1": "C"})], [broken]).outcome
    assert isinstance(outcome, NoVerdict) and "503 overloaded" in outcome.reasons[0]


def test_the_order_in_which_tasks_were_run_explains_no_argument(log: Make, tmp_path: Path) -> None:
    """The solvers of two tasks differ; that of one task does not, so nothing shows where its argument went."""
    for side, days in (("before", (1, 2)), ("after", (2, 1))):
        (tmp_path / side).mkdir()
        for name, day in zip(("exam", "quiz"), days, strict=True):
            arguments = {"hard": side} if name == "quiz" else {}
            path = log(f"{side}/{name}.json", {"1": "C"}, task_registry_name=name, task_args=arguments)
            data = json.loads(Path(path).read_text())
            data["eval"]["created"] = f"2026-01-0{day}T00:00:00+00:00"
            data["plan"]["steps"] = [{"solver": f"{name}_solver", "params": {}}]
            Path(path).write_text(json.dumps(data))
    outcome = api.compare([tmp_path / "before"], [tmp_path / "after"]).outcome
    assert isinstance(outcome, NoVerdict) and "hard is" in outcome.reasons[0]


def test_a_log_that_did_not_end_with_success_is_said(log: Make) -> None:
    whole, cut = log("b.json", {"1": "C"}), log("c.json", {"1": "C"}, status="cancelled")
    assert "differs: success and cancelled" in str(api.compare([whole], [cut]).warnings)
