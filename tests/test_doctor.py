"""Doctor always gives its table: what cannot even be tried is a row, and what was not asked for is no failure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard import doctor, toolchain
from steelyard.errors import ToolchainError
from steelyard.sandbox import choose
from tests.docker import SANDBOX, WANTED


def examined(monkeypatch: pytest.MonkeyPatch, attempt: Callable[[], doctor.Answer]) -> doctor.Examination:
    monkeypatch.setattr(doctor, "_ATTEMPTS", {"Python": doctor._python, "part": attempt})
    return doctor.examine()


@pytest.mark.parametrize(
    ("error", "state", "detail"),
    [
        (PermissionError(13, "Permission denied", "/root/.cache"), "missing", "Permission denied"),
        (RuntimeError("Could not determine home directory."), "missing", "home directory"),
        (ToolchainError("not installed", cure="run it"), "missing", "not installed"),
        (toolchain.ExtraMissing("needs the extra `cdk`", cure="pip install"), "off", "needs the extra"),
    ],
)
def test_every_part_is_a_row(monkeypatch: pytest.MonkeyPatch, error: Exception, state: str, detail: str) -> None:
    def attempt() -> doctor.Answer:
        raise error

    found = examined(monkeypatch, attempt)
    row = found.checks[1]
    assert row.state == state and detail in row.detail
    assert found.healthy is (state == "off")
    word = doctor.document(found).blocks[-1].text  # type: ignore[union-attr]
    assert ("optional" in word) is (state == "off")


def test_a_damaged_model_is_not_called_working(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may load and speak all the same: 200 kB of noise inside the weights are no obstacle."""
    monkeypatch.setattr(toolchain, "MODEL_SHA256", "0" * 64)
    found = examined(monkeypatch, doctor._model)
    assert found.checks[1].state == "missing" and "damaged" in found.checks[1].detail
    assert found.checks[1].cure == "run `steelyard setup`"


def test_disk_is_measured_behind_a_closed_door(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", "/proc/1/root/no/such/place")
    assert doctor._disk()[0] in ("works", "missing")


@pytest.mark.parametrize(
    ("sandbox", "state", "detail"),
    [("bubblewrap", "off", "not needed"), ("docker:no/such-image:1", "missing", "has no image no/such-image:1")],
)
def test_an_image_is_missing_only_where_it_is_asked_for(
    docker: str, sandbox: str, state: str, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "steelyard.yaml").write_text(f"gate:\n  sandbox: {sandbox}\n")
    monkeypatch.setattr(choose, "IMAGE", "no/such-image:2")
    row = examined(monkeypatch, doctor._docker).checks[1]
    assert row.state == state and detail in row.detail and "docker pull" in str(row.cure)


def test_the_image_of_the_settings_is_tried(docker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "steelyard.yaml").write_text(f"gate:\n  sandbox: {SANDBOX}\n")
    row = examined(monkeypatch, doctor._docker).checks[1]
    assert row.state == "works" and f"{WANTED} tried" in row.detail


@pytest.mark.clients
def test_every_client_is_started(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row = examined(monkeypatch, doctor._client(client)).checks[1]
    assert row.state == "works" and "(pinned)" in row.detail
