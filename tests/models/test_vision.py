"""Whether a model reads images: one rule, whichever way a run is started."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.model import ModelInfo

from steelyard.bench.architecture_design.mode import resolve_diagrams
from steelyard.bench.architecture_design.task import architecture_design
from steelyard.bench.run import diagram_mode, make_task
from steelyard.bench.run.plan import RunSpec
from steelyard.errors import InputError
from steelyard.logs.identity import read_stamp
from steelyard.models.vision import sees_images

SEEING = (
    "anthropic/claude-sonnet-4-5",
    "openrouter/anthropic/claude-sonnet-4.5",
    "bedrock/us.anthropic.claude-sonnet-4",
    "bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0",
    "anthropic/vertex/claude-sonnet-4-5",
    "openai/gpt-4o",
    "openai/azure/gpt-4o",
    "azureai/gpt-4o",
    "openai/gpt-4-turbo",
    "openai/gpt-5",
    "openai/o1",
    "openai/o3",
    "google/gemini-2.5-pro",
    "vertex/gemini-2.0-flash",
    "mistral/pixtral-large-latest",
    "bedrock/amazon.nova-lite-v1:0",
    "together/meta-llama/Llama-3.2-90B-Vision-Instruct-Turbo",
    "hf/Qwen/Qwen2.5-VL-7B-Instruct",
    "grok/grok-4",
)
BLIND = (
    "openai/o3-mini",
    "openrouter/openai/o3-mini",
    "openai/o1-mini",
    "openai/gpt-3.5-turbo",
    "openai/gpt-4",
    "openai/gpt-4o-audio-preview",
    "openai/gpt-oss-120b",
    "anthropic/claude-2.1",
    "bedrock/amazon.nova-micro-v1:0",
    "deepseek/deepseek-chat",
    "groq/llama-3.3-70b-versatile",
    "hf/somebody/unheard-of",
    "mockllm/model",
    "steelyard/ceiling",
    "steelyard/claude-cli",
)


@pytest.mark.parametrize(("model", "sees"), [*((name, True) for name in SEEING), *((name, False) for name in BLIND)])
def test_bench_run_and_inspect_eval_show_a_model_the_same_diagrams(model: str, sees: bool) -> None:
    assert sees_images(model) is sees
    mode = "image" if sees else "text"
    assert resolve_diagrams("auto", (model,)) == mode  # what the registered task asks under inspect eval
    assert diagram_mode(RunSpec(models=(model,))) == mode  # what bench run asks


@pytest.mark.parametrize("model", ["steelyard/floor", "openai/o3-mini", "openrouter/anthropic/claude-sonnet-4.5"])
def test_the_two_ways_write_the_same_fingerprint(model: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("steelyard.bench.architecture_design.task.get_model", lambda: model)
    directly = read_stamp(architecture_design().metadata)
    by_bench = read_stamp(make_task("architecture_design", RunSpec(models=(model,), log_dir=tmp_path)).metadata)
    assert directly is not None and by_bench is not None
    assert directly.fingerprint == by_bench.fingerprint


@pytest.mark.parametrize("given", ["yes", True])
def test_the_table_can_be_overruled(given: str | bool) -> None:
    assert resolve_diagrams("auto", ("hf/somebody/unheard-of",), given) == "image"
    stamp = read_stamp(architecture_design(images=given).metadata)
    assert stamp is not None and stamp.fingerprint.parameters == {"diagrams": "image"}


@pytest.mark.parametrize("given", ["no", False])
def test_a_model_can_be_kept_from_images(given: str | bool) -> None:
    assert resolve_diagrams("auto", ("openai/gpt-4o",), given) == "text"
    with pytest.raises(InputError, match="do not read images"):
        resolve_diagrams("image", ("openai/gpt-4o",), given)


def test_only_yes_and_no_overrule() -> None:
    with pytest.raises(InputError, match="images is 'maybe'"):
        resolve_diagrams("auto", ("openai/gpt-4o",), "maybe")


def test_inspect_still_records_no_modalities() -> None:
    # The day it does, ask Inspect first and shrink the table.
    assert not [name for name in ModelInfo.model_fields if any(word in name for word in ("modal", "image", "vision"))]
