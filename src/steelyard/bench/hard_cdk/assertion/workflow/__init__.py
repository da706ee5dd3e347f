"""Runs a Step Functions definition (JSONPath) on an input. Pure.

States, paths, payload templates, intrinsic functions and catchers work as in the Amazon States Language. The items ask
for machines that compute: of Pass, Choice, Map, Succeed and Fail, without tasks, so that nothing depends on time, and a
retry fails as the first attempt did. `States.Runtime` and `States.DataLimitExceeded` are not caught by `States.ALL`.
What is not known here (other states, JSONata, variables, distributed maps) is `Undecided`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from steelyard.bench.cdk_synth.shape import is_list, is_mapping, listing, mapping
from steelyard.bench.hard_cdk.assertion.proviso import Undecided
from steelyard.bench.hard_cdk.assertion.workflow import intrinsic
from steelyard.bench.hard_cdk.assertion.workflow.path import NoValue, number, select

__all__ = ["Ended", "execute"]

MAX_STEPS = 5_000
"""States entered in one execution."""
MAX_NODES = 20_000
"""Values in what a state passes on; stands, with `MAX_TEXT`, for the 256 KB that AWS allows."""
MAX_TEXT = 262_144
"""Characters of all texts in what a state passes on."""
MAX_WORK = 400_000
"""Values passed on in one execution: what an answer may cost."""
_UNCATCHABLE = ("States.Runtime", "States.DataLimitExceeded")
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "Equals": operator.eq,
    "LessThan": operator.lt,
    "GreaterThan": operator.gt,
    "LessThanEquals": operator.le,
    "GreaterThanEquals": operator.ge,
}
_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "IsNull": lambda value: value is None,
    "IsNumeric": number,
    "IsString": lambda value: isinstance(value, str),
    "IsBoolean": lambda value: isinstance(value, bool),
}
_KINDS = ("String", "Numeric", "Boolean")


class Ended(NamedTuple):
    """How an execution ended."""

    output: Any
    error: str | None
    """None if it succeeded."""


class _Error(Exception):
    """An error of the execution."""

    def __init__(self, name: str, cause: str = "") -> None:
        super().__init__(f"{name}: {cause}")
        self.name, self.cause = name, cause


@dataclass(slots=True)
class _Execution:
    input: Any
    steps: int = 0
    work: int = 0

    def passed(self, value: Any) -> Any:
        """The value, if it is not too large to be passed on. Values are shared: nothing changes one in place."""
        self.work += _nodes(value)
        if self.work > MAX_WORK:
            raise Undecided("an execution that works too long")
        return value


def _nodes(value: Any) -> int:
    """How many values there are in a value; counted one by one, since parts may be shared many times."""
    count, text, queue = 1, 0, [value]
    while queue:
        part = queue.pop()
        inside = part.values() if is_mapping(part) else part if is_list(part) else ()
        count += len(inside)
        text += len(part) if isinstance(part, str) else 0
        if count > MAX_NODES or text > MAX_TEXT:
            raise _Error("States.DataLimitExceeded")
        queue += [value for value in inside if isinstance(value, (dict, list, str))]
    return count


def execute(definition: Mapping[str, Any], value: Any) -> Ended:
    """Run a definition."""
    run = _Execution(value)
    try:
        return Ended(_machine(definition, run.passed(value), run, {}), None)
    except _Error as failure:
        return Ended(None, failure.name)
    # AWS would refuse an index of thousands of digits, say; a definition is the answer's, and never our failure.
    except (ArithmeticError, TypeError, ValueError) as odd:
        raise Undecided(f"a definition that is not well formed: {odd}") from odd


def _machine(definition: Mapping[str, Any], value: Any, run: _Execution, item: Mapping[str, Any]) -> Any:
    if definition.get("QueryLanguage", "JSONPath") != "JSONPath":
        raise Undecided("JSONata")
    states = mapping(definition.get("States"))
    name = definition.get("StartAt")
    while True:
        run.steps += 1
        if run.steps > MAX_STEPS:
            raise Undecided("an execution that does not end")
        if not isinstance(name, str) or name not in states:
            raise Undecided(f"the state {name}")
        state = mapping(states[name])
        if state.get("QueryLanguage", "JSONPath") != "JSONPath" or "Assign" in state:
            raise Undecided("JSONata or variables")
        value, name = _State(state, run, {"Execution": {"Input": run.input}, "State": {"Name": name}, **item}).enter(
            value
        )
        if name is None:
            return value


class _State:
    """One state while it is run."""

    def __init__(self, state: Mapping[str, Any], run: _Execution, context: dict[str, Any]) -> None:
        self._state, self._run, self._context = state, run, context
        self._kind = str(state.get("Type"))

    def enter(self, raw: Any) -> tuple[Any, str | None]:
        """The output and the next state, None at the end."""
        try:
            return self._tried(raw)
        except _Error as error:
            return self._caught(error, raw)

    def _tried(self, raw: Any) -> tuple[Any, str | None]:
        try:
            value = self._path("InputPath", raw)
            if self._kind == "Choice":
                return self._path("OutputPath", value), self._chosen(value)
            if self._kind == "Fail":
                raise _Error(self._said("Error", value), self._said("Cause", value))
            if self._kind == "Succeed":
                return self._path("OutputPath", value), None
            result = self._result(value)
            # ResultPath puts the result into the raw input of the state, not into what InputPath left of it.
            return self._path("OutputPath", self._placed(raw, result, self._state.get("ResultPath", "$"))), self._next()
        except intrinsic.IntrinsicFailed as error:
            raise _Error("States.IntrinsicFailure", str(error)) from error
        except NoValue as error:
            template = self._kind in ("Pass", "Map")
            raise _Error("States.ParameterPathFailure" if template else "States.Runtime", str(error)) from error

    def _result(self, value: Any) -> Any:
        if self._kind == "Pass":
            return self._run.passed(self._state.get("Result", self._template("Parameters", value)))
        if self._kind == "Map":
            return self._template("ResultSelector", list(self._mapped(value)))
        raise Undecided(f"the state type {self._kind}")

    def _mapped(self, value: Any) -> Iterator[Any]:
        machine = mapping(self._state.get("ItemProcessor", self._state.get("Iterator")))
        if mapping(machine.get("ProcessorConfig")).get("Mode", "INLINE") != "INLINE" or "ItemReader" in self._state:
            raise Undecided("a distributed map")
        items = self._resolved(str(self._state.get("ItemsPath", "$")), value)
        if not is_list(items):
            raise _Error("States.Runtime", "a Map needs an array")
        selector = "ItemSelector" if "ItemSelector" in self._state else "Parameters"
        for index, element in enumerate(items):
            item = {"Map": {"Item": {"Index": index, "Value": element}}}
            inner = _State(self._state, self._run, {**self._context, **item})
            chosen = inner._template(selector, value) if selector in self._state else element
            yield _machine(machine, self._run.passed(chosen), self._run, item)

    def _chosen(self, value: Any) -> str:
        rules = map(mapping, listing(self._state.get("Choices")))
        rule = next((rule for rule in rules if _holds(rule, lambda path: self._resolved(path, value))), None)
        following = self._state.get("Default") if rule is None else rule.get("Next")
        if following is None:
            raise _Error("States.NoChoiceMatched")
        return str(following)

    def _caught(self, error: _Error, raw: Any) -> tuple[Any, str]:
        for rule in map(mapping, listing(self._state.get("Catch", []))):
            if _matches(error.name, rule):
                report = {"Error": error.name, "Cause": error.cause}
                return self._placed(raw, report, rule.get("ResultPath", "$")), str(rule.get("Next"))
        raise error

    def _next(self) -> str | None:
        return None if self._state.get("End") is True else str(self._state.get("Next"))

    def _said(self, key: str, value: Any) -> str:
        path = self._state.get(f"{key}Path")
        return str(self._value(path, value) if isinstance(path, str) else self._state.get(key, ""))

    def _path(self, key: str, value: Any) -> Any:
        path = self._state.get(key, "$")
        # A path of null discards the data and leaves an empty object.
        return {} if path is None else self._run.passed(self._resolved(str(path), value))

    def _resolved(self, path: str, value: Any) -> Any:
        # `$$` begins a path into the context object.
        return select(path[1:], self._context) if path.startswith("$$") else select(path, value)

    def _value(self, text: str, value: Any) -> Any:
        if text.startswith("States."):
            return self._run.passed(intrinsic.evaluate(text, lambda path: self._resolved(path, value)))
        if not text.startswith("$"):
            raise Undecided(f"the template value {text}")
        return self._run.passed(self._resolved(text, value))

    def _template(self, key: str, value: Any) -> Any:
        return self._filled(self._state[key], value) if key in self._state else value

    def _filled(self, template: Any, value: Any) -> Any:
        if is_list(template):
            return [self._filled(part, value) for part in listing(template)]
        if not is_mapping(template):
            return template
        return {
            key.removesuffix(".$"): self._value(str(part), value) if key.endswith(".$") else self._filled(part, value)
            for key, part in mapping(template).items()
        }

    def _placed(self, raw: Any, result: Any, path: Any) -> Any:
        if path is None:
            return raw
        steps = str(path).removeprefix("$").strip(".").split(".") if path != "$" else []
        if not steps:
            return result
        if any("[" in step for step in steps):
            raise Undecided(f"the ResultPath {path}")
        # Copied on the way: earlier states share these values.
        output = place = _own(self._run.passed(raw), path)
        for step in steps[:-1]:
            inner = place[step] = _own(place.get(step, {}), path)
            place = inner
        place[steps[-1]] = result
        return output


def _own(value: Any, path: Any) -> dict[str, Any]:
    """A copy of an object on a ResultPath, to put something into."""
    if not is_mapping(value):
        raise _Error("States.ResultPathMatchFailure", str(path))
    return dict(value)


def _matches(name: str, rule: Mapping[str, Any]) -> bool:
    names = [str(part) for part in listing(rule.get("ErrorEquals", []))]
    if name in names:
        return True
    if name in _UNCATCHABLE:
        return False
    return "States.ALL" in names or ("States.TaskFailed" in names and name != "States.Timeout")


def _holds(rule: Mapping[str, Any], paths: Callable[[str], Any]) -> bool:
    """Whether a rule holds; a variable that is not there raises `NoValue`, except for `IsPresent`."""
    if "And" in rule:
        return all(_holds(mapping(part), paths) for part in listing(rule["And"]))
    if "Or" in rule:
        return any(_holds(mapping(part), paths) for part in listing(rule["Or"]))
    if "Not" in rule:
        return not _holds(mapping(rule["Not"]), paths)
    name = next((key for key in rule if key not in ("Variable", "Next", "Comment")), "")
    if name == "IsPresent":
        return _present(str(rule.get("Variable")), paths) == rule[name]
    value = paths(str(rule.get("Variable")))
    if name in _TYPES:
        return _TYPES[name](value) == rule[name]
    return _compared(name, value, rule[name] if name else None, paths)


def _present(path: str, paths: Callable[[str], Any]) -> bool:
    try:
        paths(path)
    except NoValue:
        return False
    return True


def _fits(parts: list[str], value: str) -> bool:
    """Whether a text consists of these parts with anything between them."""
    if len(parts) == 1:
        return value == parts[0]
    first, *inner, last = parts
    place, end = len(first), len(value) - len(last)
    # The leftmost fit leaves the most room for the parts that follow, so nothing need be tried twice; and `find` takes
    # time in proportion to the text, where a regular expression tries a long part at every place.
    for part in inner:
        found = value.find(part, place, max(end, 0))
        if found < 0:
            return False
        place = found + len(part)
    return place <= end and value.startswith(first) and value.endswith(last)


def _compared(name: str, value: Any, expected: Any, paths: Callable[[str], Any]) -> bool:
    if name == "StringMatches":
        parts = [re.sub(r"\\(.)", r"\1", part) for part in re.split(r"(?<!\\)\*", str(expected))]
        return isinstance(value, str) and _fits(parts, value)
    kind = next((kind for kind in _KINDS if name.startswith(kind)), "")
    comparison = name.removeprefix(kind).removesuffix("Path")
    if not kind or comparison not in _COMPARISONS:
        raise Undecided(f"the comparison {name}")
    other = paths(str(expected)) if name.endswith("Path") else expected
    if kind == "Numeric":
        fit = number(value) and number(other)
    else:
        plain = str if kind == "String" else bool
        fit = isinstance(value, plain) and isinstance(other, plain)
    return fit and _COMPARISONS[comparison](value, other)
