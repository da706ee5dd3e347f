# Plain calls on purpose: this code is forked and loads nothing it does not need.
# ruff: noqa: SIM905
"""The relay between an app and Node: the only connection between the two.

Law: only harmless requests pass. `load` and everything that is not on the list is refused; so is any request to our
own guard, and any reference to an object that was not given to this app. A request that may leave a trace in Node
(static properties, registries) passes and taints the worker, which then runs no other app.
Requests are parsed by Node's own rules (the last duplicate key wins) and forwarded byte for byte.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, BinaryIO, cast

GUARD = "steelyard-guard"
"""Assembly name of our own code inside Node; apps may not call it."""
ENVIRONMENT = "environment"
"""A request of our own in the app's process: its first one, if it changed the environment before it started Node."""
LINE_LIMIT = 64_000_000
"""Size of the longest request, in bytes."""

_ALLOWED = frozenset(
    "create del get set sget sset invoke sinvoke begin sbegin end callbacks complete naming stats".split()
)
_MUTATORS = frozenset({"aws-cdk-lib.region_info.Fact"})
"""Classes whose static methods change state that later apps would see."""
_MUTATING_METHODS = frozenset(
    """classifyVersionProperty set register unregister clearEsbuildInstallationCache clearTscInstallationCache
    disableStackTraceCollection enableStackTraceCollection disableTestSuppressions""".split()
)
"""Static methods that do the same, by name, because a subclass inherits them: all of aws-cdk-lib 2.275.0 that assign to
a static field or to a variable of their module, found by parsing every file of the library. Two others are harmless:
references and tokens are looked up by objects that no later app has."""
_REFERENCE = re.compile(rb'"\$jsii\.byref":"([^"\\]*@(\d+))"')
_KEPT = 20
"""Number of refusals kept for the report."""


class KernelDied(Exception):
    """Node ended or closed its pipe."""


class KernelBusy(Exception):
    """Time ran out while Node was still computing."""


@dataclass
class Traffic:
    """The requests of one app."""

    requests: int = 0
    refused: list[str] = field(default_factory=list[str])
    tainted: list[str] = field(default_factory=list[str])
    """Why the worker must not run another app; this app's verdict stays valid."""
    foreign: list[str] = field(default_factory=list[str])
    """Objects older than the app that Node gave to it: the verdict needs a fresh worker."""
    created: set[str] = field(default_factory=set[str])
    open_callbacks: int = 0


class Relay:
    """One Node, one app at a time."""

    def __init__(self, to_node: BinaryIO, from_node: BinaryIO) -> None:
        self._to_node, self._from_node = to_node, from_node
        self._static: set[str] = set()
        self._newest = 0
        self.in_flight = False

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request of our own, exempt from the rules."""
        return json.loads(self._exchange(json.dumps(request).encode() + b"\n"))

    def serve(self, source: BinaryIO, sink: BinaryIO, traffic: Traffic) -> None:
        """Forward requests until the app ends or announces its end."""
        floor, known = self._newest, set(self._static)
        while (line := source.readline(LINE_LIMIT)).endswith(b"\n"):
            traffic.requests += 1
            request, refusal = self._judge(line, floor, known, traffic)
            if request is not None and "exit" in request:
                return
            if request is not None and traffic.requests == 1 and request.get("api") == ENVIRONMENT:
                _keep(traffic.tainted, "the app's environment")
                sink.write(self._set_variables(request.get("variables")))
            elif refusal is not None or request is None:
                _keep(traffic.refused, refusal or "malformed request")
                sink.write(_refusal(refusal or "malformed request"))
            else:
                reply = self._exchange(line)
                self._note(request, reply, floor, known, traffic)
                sink.write(reply)
            sink.flush()

    def _set_variables(self, variables: object) -> bytes:
        """Give Node the app's values of the CLI's variables, as if it had started only now."""
        named = cast("dict[str, object]", variables) if isinstance(variables, dict) else {}
        chosen = {name: value for name, value in named.items() if name.startswith("CDK_")}
        words = [json.dumps({name: value for name, value in chosen.items() if value is None or isinstance(value, str)})]
        reply = self.ask({"api": "sinvoke", "fqn": f"{GUARD}.Guard", "method": "variables", "args": words})
        return json.dumps(reply).encode() + b"\n"

    def forget(self, traffic: Traffic) -> None:
        """Drop the app's objects from Node's table: they can no longer be addressed, and their memory is freed."""
        for reference in traffic.created:
            self._exchange(b'{"api":"del","objref":{"$jsii.byref":%b}}\n' % json.dumps(reference).encode())

    def _exchange(self, line: bytes) -> bytes:
        self.in_flight = True
        try:
            self._to_node.write(line)
            self._to_node.flush()
            reply = self._from_node.readline()
        except OSError as error:
            raise KernelDied(str(error)) from error
        self.in_flight = False
        if not reply.endswith(b"\n"):
            raise KernelDied("Node closed its pipe")
        return reply

    def _judge(
        self, line: bytes, floor: int, known: set[str], traffic: Traffic
    ) -> tuple[dict[str, Any] | None, str | None]:
        references: list[object] = []

        def note(entry: dict[str, Any]) -> dict[str, Any]:
            if "$jsii.byref" in entry:
                references.append(entry["$jsii.byref"])
            return entry

        try:
            parsed: object = json.loads(line.decode(), object_hook=note)
        except (ValueError, RecursionError):
            return None, "malformed request"
        if not isinstance(parsed, dict):
            return None, "malformed request"
        request = cast("dict[str, Any]", parsed)
        refusal = _unlisted(request)
        for reference in references:
            if not _own(reference, floor, known):
                refusal = refusal or f"object {str(reference)[:80]} belongs to somebody else"
        if self._leaves_a_trace(request):
            _keep(traffic.tainted, f"{request.get('api')} {request.get('fqn') or request.get('property')}")
        return request, refusal

    def _leaves_a_trace(self, request: dict[str, Any]) -> bool:
        api = request.get("api")
        if api == "set":
            return _target(request) in self._static
        method = request.get("method")
        mutating = isinstance(method, str) and (method in _MUTATING_METHODS or method.startswith("_"))
        return api in ("sset", "sbegin") or request.get("fqn") in _MUTATORS or (api == "sinvoke" and mutating)

    def _note(self, request: dict[str, Any], reply: bytes, floor: int, known: set[str], traffic: Traffic) -> None:
        if "complete" in request:
            traffic.open_callbacks -= 1
        if reply.startswith(b'{"callback"'):
            traffic.open_callbacks += 1
        if b"$jsii.byref" not in reply:
            return
        api = request.get("api")
        shared = api == "sget" or _target(request) in self._static
        for raw, number in _REFERENCE.findall(reply):
            reference, age = raw.decode(), int(number)
            self._newest = max(self._newest, age)
            if shared:
                self._static.add(reference)
            elif age <= floor and reference not in known:
                _keep(traffic.foreign, reference)
            known.add(reference)
        if api == "create" and reply.startswith(b'{"ok"') and (match := _REFERENCE.search(reply)):
            traffic.created.add(match[1].decode())


def _unlisted(request: dict[str, Any]) -> str | None:
    """Why a request of this kind is refused; None if it is allowed."""
    api = request.get("api")
    if api is None and isinstance(request.get("complete"), dict):
        return None
    if not isinstance(api, str) or api not in _ALLOWED:
        return f"request {str(api)[:40]!r}"
    fqn = request.get("fqn", "")
    if not isinstance(fqn, str) or fqn.split(".", 1)[0] == GUARD:
        return f"type {str(fqn)[:80]!r}"
    return None


def _own(reference: object, floor: int, known: set[str]) -> bool:
    if not isinstance(reference, str):
        return False
    number = reference.rpartition("@")[2]
    # Node numbers objects upwards: those above `floor` were created for this app.
    return reference in known or (len(number) < 16 and number.isascii() and number.isdigit() and int(number) > floor)


def _target(request: dict[str, Any]) -> object:
    """The object a request addresses, if any."""
    target = request.get("objref")
    return cast("dict[str, object]", target).get("$jsii.byref") if isinstance(target, dict) else None


def _refusal(reason: str) -> bytes:
    text = f"refused by the sandbox: {reason}"
    return json.dumps({"error": text, "name": "@jsii/kernel.Fault", "stack": text}).encode() + b"\n"


def _keep(kept: list[str], entry: str) -> None:
    if len(kept) < _KEPT:
        kept.append(entry)
