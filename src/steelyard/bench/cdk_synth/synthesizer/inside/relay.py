# Plain calls on purpose: this code is forked and loads nothing it does not need.
# ruff: noqa: SIM905
"""The relay between an app and Node: the only connection between the two.

Only harmless requests pass. `load` and everything that is not on the list is refused; so is any request to our
own guard, and any reference to an object that was not given to this app. A request that may leave a trace in Node
(static properties, registries) passes and taints the kernel, which then runs no other app.
Node numbers its objects, and goes on counting from app to app. An app sees numbers of its own, from `FIRST` in the
order in which it meets its objects, as from a Node of its own.
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
FIRST = 10_000
"""The number that a new Node gives to its first object."""

_ALLOWED = frozenset("create del get set sget sset invoke sinvoke begin sbegin end callbacks complete naming".split())
_MUTATORS = frozenset({"aws-cdk-lib.region_info.Fact"})
"""Classes whose static methods change state that later apps would see."""
_MUTATING_CONSTRUCTORS = frozenset(
    {"aws-cdk-lib.aws_lambda.Runtime", "aws-cdk-lib.aws_route53.VpcEndpointServiceDomainName"}
)
"""Classes whose instances enter a list of all instances, found in the same way as the methods below."""
_MUTATING_METHODS = frozenset(
    """classifyVersionProperty set register unregister clearEsbuildInstallationCache clearTscInstallationCache
    disableStackTraceCollection enableStackTraceCollection disableTestSuppressions""".split()
)
"""Static methods that do the same, by name, because a subclass inherits them: all of aws-cdk-lib 2.275.0 that assign to
a static field or to a variable of their module, found by parsing every file of the library. Two others are harmless:
references and tokens are looked up by objects that no later app has."""
# Quotes inside a text are escaped in JSON, so that only real references match.
_REFERENCE = re.compile(rb'(?<="\$jsii\.byref":")([^"\\]*@)(\d+)(?=")')
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
    """Why the kernel must not run another app; this app's verdict stays valid."""
    foreign: list[str] = field(default_factory=list[str])
    """Objects older than the app that Node gave to it: the verdict needs a fresh kernel."""
    created: set[str] = field(default_factory=set[str])
    open_callbacks: int = 0
    shown: dict[str, str] = field(default_factory=dict[str, str])
    """Node's name of an object → the app's."""
    meant: dict[str, str] = field(default_factory=dict[str, str])
    """The app's name of an object → Node's."""

    def show(self, reference: str) -> str:
        """The app's name of an object that Node gives to it."""
        if reference not in self.shown:
            self.shown[reference] = own = f"{reference.rpartition('@')[0]}@{FIRST + len(self.shown)}"
            self.meant[own] = reference
        return self.shown[reference]

    def shown_in(self, found: re.Match[bytes]) -> bytes:
        """`show`, for a reference found in a reply."""
        return self.show(found[0].decode()).encode()


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
        # Node counts upwards: what has no higher number is older than this app.
        floor = self._newest
        # A line without its end is too long, or the app ended in the middle of it.
        while (line := source.readline(LINE_LIMIT)).endswith(b"\n"):
            traffic.requests += 1
            request, refusal = self._judge(line, traffic)
            if request is not None and "exit" in request:
                return
            if request is not None and traffic.requests == 1 and request.get("api") == ENVIRONMENT:
                _keep(traffic.tainted, "the app's environment")
                sink.write(self._set_variables(request.get("variables")))
            elif refusal is not None or request is None:
                _keep(traffic.refused, refusal or "malformed request")
                sink.write(_refusal(refusal or "malformed request"))
            else:
                # Written anew, so that Node reads what was judged; of duplicate keys the last one wins, as in Node.
                reply = self._exchange(json.dumps(request).encode() + b"\n")
                self._note(request, reply, floor, traffic)
                sink.write(_REFERENCE.sub(traffic.shown_in, reply))
            sink.flush()

    def _set_variables(self, variables: object) -> bytes:
        """Give Node the app's values of the CLI's variables, as if it had started only now."""
        named = cast("dict[str, object]", variables) if isinstance(variables, dict) else {}
        # Node reads other variables too, such as NODE_OPTIONS; those are none of an app's.
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

    def _judge(self, line: bytes, traffic: Traffic) -> tuple[dict[str, Any] | None, str | None]:
        """A request with Node's names of the objects in it, and why it is refused, if it is."""
        strange: list[object] = []

        # At any depth: objects are arguments as well as targets.
        def translate(entry: dict[str, Any]) -> dict[str, Any]:
            if "$jsii.byref" in entry:
                named = entry["$jsii.byref"]
                entry["$jsii.byref"] = meant = traffic.meant.get(named) if isinstance(named, str) else None
                strange.extend([named] if meant is None else [])
            return entry

        try:
            parsed: object = json.loads(line.decode(), object_hook=translate)
        except (ValueError, RecursionError):
            return None, "malformed request"
        if not isinstance(parsed, dict):
            return None, "malformed request"
        request = cast("dict[str, Any]", parsed)
        refusal = _unlisted(request)
        if strange:
            refusal = refusal or f"object {str(strange[0])[:80]} belongs to somebody else"
        if self._leaves_a_trace(request):
            _keep(traffic.tainted, f"{request.get('api')} {request.get('fqn') or request.get('property')}")
        return request, refusal

    def _leaves_a_trace(self, request: dict[str, Any]) -> bool:
        api = request.get("api")
        if api in ("set", "del"):
            return _target(request) in self._static
        if api == "create":
            return request.get("fqn") in _MUTATING_CONSTRUCTORS
        method = request.get("method")
        mutating = isinstance(method, str) and (method in _MUTATING_METHODS or method.startswith("_"))
        return api in ("sset", "sbegin") or request.get("fqn") in _MUTATORS or (api == "sinvoke" and mutating)

    def _note(self, request: dict[str, Any], reply: bytes, floor: int, traffic: Traffic) -> None:
        if "complete" in request:
            traffic.open_callbacks -= 1
        if reply.startswith(b'{"callback"'):
            traffic.open_callbacks += 1
        if b"$jsii.byref" not in reply:
            return
        api = request.get("api")
        # What static properties hold belongs to the library, and every app may have it.
        shared = api == "sget" or _target(request) in self._static
        references = [(kind + number, int(number)) for kind, number in _REFERENCE.findall(reply)]
        for raw, age in references:
            reference = raw.decode()
            self._newest = max(self._newest, age)
            if shared:
                self._static.add(reference)
            elif age <= floor and reference not in self._static and reference not in traffic.shown:
                _keep(traffic.foreign, reference)
        if api == "create" and reply.startswith(b'{"ok"') and references:
            traffic.created.add(references[0][0].decode())


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


def _target(request: dict[str, Any]) -> object:
    """The object a request addresses, if any."""
    target = request.get("objref")
    return cast("dict[str, object]", target).get("$jsii.byref") if isinstance(target, dict) else None


def _refusal(reason: str) -> bytes:
    text = f"refused by the sandbox: {reason}"
    # By this name, jsii raises a JSIIError in the app.
    return json.dumps({"error": text, "name": "@jsii/kernel.Fault", "stack": text}).encode() + b"\n"


def _keep(kept: list[str], entry: str) -> None:
    if len(kept) < _KEPT:
        kept.append(entry)
