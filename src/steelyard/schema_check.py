"""A fast check of large documents against a JSON Schema: what it accepts, jsonschema accepts too.

A board of a hundred models has twenty thousand pairs, and jsonschema takes longer to check them than it takes to read
and weigh the logs. Here a schema becomes nested functions. Keywords that are not known here are left to jsonschema,
for the part of the document that they are about. A document that is refused goes through jsonschema as a whole, which
names the field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, cast

Check = Callable[[Any], bool]
"""Whether a value satisfies a schema."""

_ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "title", "description", "default"})

_TOGETHER = frozenset({"properties", "additionalProperties", "if", "then", "else"})
"""Keywords of which several make one check."""


_OF_RECORDS = frozenset({"type", "required", "properties", "additionalProperties"})
"""Keywords of a schema for objects that can be checked member by member."""

_SCALARS = frozenset({str, int, float, bool, type(None)})

_MANY = 100
"""Objects from which that is worth it."""


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_TYPES: Mapping[str, Check] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "number": _is_number,
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())
    ),
}

_USUAL: Mapping[str, tuple[type, ...]] = {
    "null": (type(None),),
    "boolean": (bool,),
    "string": (str,),
    "array": (list,),
    "object": (dict,),
    "number": (int, float),
    "integer": (int,),
}
"""Classes whose own values, not those of their subclasses, are of a type: looked up before `_TYPES` is asked."""


def compiled(schema: Mapping[str, Any]) -> Check:
    """The check of a whole schema."""
    return _Compiler(schema).check(schema)


class _Compiler:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._definitions: Mapping[str, Any] = root.get("$defs", {})
        self._references: dict[str, Check] = {}
        self._known: Mapping[str, Callable[[Any], Check]] = {
            "type": _of_type,
            "required": _has,
            "minimum": lambda least: (
                lambda value: value >= least if type(value) is float or _is_number(value) else True
            ),
            "maximum": lambda most: lambda value: value <= most if type(value) is float or _is_number(value) else True,
            "minLength": lambda least: lambda value: not isinstance(value, str) or len(value) >= least,
            "pattern": _matches,
            "minProperties": lambda least: lambda value: not isinstance(value, dict) or len(cast(Any, value)) >= least,
            "minItems": lambda least: lambda value: not isinstance(value, list) or len(cast(Any, value)) >= least,
            "maxItems": lambda most: lambda value: not isinstance(value, list) or len(cast(Any, value)) <= most,
            "items": self._items,
            "oneOf": self._exactly_one,
            "enum": self._one_of,
            "const": lambda value: self._one_of([value]),
            "$ref": self._reference,
        }

    def check(self, schema: Any) -> Check:
        if isinstance(schema, bool):
            return lambda value: schema
        checks = [self._known[name](argument) for name, argument in schema.items() if name in self._known]
        if "properties" in schema or "additionalProperties" in schema:
            checks.append(self._members(schema.get("properties", {}), schema.get("additionalProperties", True)))
        if "if" in schema:
            checks.append(self._conditional(*(schema.get(name, True) for name in ("if", "then", "else"))))
        known = self._known.keys() | _ANNOTATIONS | _TOGETHER
        if rest := {name: argument for name, argument in schema.items() if name not in known}:
            checks.append(self._slow(rest, schema))
        return _all(checks)

    def _items(self, schema: Any) -> Check:
        check = self.check(schema)
        alike = cache(lambda: self._records(schema))  # made when it is needed: a schema may refer to itself
        return lambda value: (
            not isinstance(value, list)
            or (len(cast(Any, value)) >= _MANY and alike()(value))
            or all(map(check, cast(list[Any], value)))
        )

    def _records(self, schema: Any) -> Check:
        """Whether the objects of a list have the same members, all named in the schema, and every member fits.

        Member by member, because few of their values are distinct. If not, nothing is said: one by one is next.
        """
        if isinstance(schema, dict) and cast(dict[str, Any], schema).keys() == {"$ref"}:
            schema = self._definitions.get(cast(dict[str, Any], schema)["$ref"].removeprefix("#/$defs/"))
        if not isinstance(schema, dict) or cast(dict[str, Any], schema).keys() - _ANNOTATIONS - _OF_RECORDS:
            return lambda value: False
        plain = cast(dict[str, Any], schema)
        named = {name: self.check(member) for name, member in plain.get("properties", {}).items()}
        whole = self.check(plain)

        def fit(value: list[dict[str, Any]]) -> bool:
            if set(map(type, value)) != {dict} or len(members := set(map(tuple, value))) != 1 or not whole(value[0]):
                return False
            return all(
                name in named and _each(named[name], [record[name] for record in value]) for name in members.pop()
            )

        return fit

    def _members(self, properties: Mapping[str, Any], others: Any) -> Check:
        named = {name: self.check(schema) for name, schema in properties.items()}
        other = self.check(others)

        def holds(value: Any) -> bool:
            if not isinstance(value, dict):
                return True
            # Not `all` of a generator, which costs more than the checks of a small object.
            for name, member in cast(dict[str, Any], value).items():  # noqa: SIM110
                if not named.get(name, other)(member):
                    return False
            return True

        return holds

    def _exactly_one(self, schemas: Sequence[Any]) -> Check:
        checks = [self.check(schema) for schema in schemas]
        return lambda value: sum(check(value) for check in checks) == 1

    def _conditional(self, condition: Any, then: Any, otherwise: Any) -> Check:
        holds, yes, no = map(self.check, (condition, then, otherwise))
        return lambda value: yes(value) if holds(value) else no(value)

    def _one_of(self, allowed: Sequence[Any]) -> Check:
        if not all(type(value) in (str, int) for value in allowed):
            return self._slow({"enum": allowed}, {})
        return lambda value: value in allowed and not isinstance(value, bool)  # 1 == True, but not in JSON

    def _reference(self, target: str) -> Check:
        name = target.removeprefix("#/$defs/")
        if name not in self._definitions:
            return self._slow({"$ref": target}, {})
        if name not in self._references:
            self._references[name] = lambda value: self._references[name](value)  # for a schema that refers to itself
            self._references[name] = self.check(self._definitions[name])
        return self._references[name]

    def _slow(self, rest: Mapping[str, Any], schema: Mapping[str, Any]) -> Check:
        import jsonschema

        if rest.keys() & {"unevaluatedProperties", "patternProperties", "prefixItems", "$dynamicRef", "$anchor"}:
            rest = schema  # depends on its neighbors
        validator: Any = jsonschema.Draft202012Validator({**rest, "$defs": self._definitions})
        return lambda value: validator.is_valid(value)


def _all(checks: Sequence[Check]) -> Check:
    """All of them, the usual small numbers without a loop."""
    match checks:
        case [one]:
            return one
        case [one, two]:
            return lambda value: one(value) and two(value)
        case [one, two, three]:
            return lambda value: one(value) and two(value) and three(value)
        case _:
            return lambda value: all(check(value) for check in checks)


def _each(check: Check, values: list[Any]) -> bool:
    """Whether all values fit; equal ones are checked once, unless a boolean may be equal to a number."""
    kinds = set(map(type, values))
    if not kinds <= _SCALARS or (bool in kinds and len(kinds) > 1):
        return all(map(check, values))
    return all(map(check, set(values)))


def _has(names: Sequence[str]) -> Check:
    wanted = frozenset(names)
    return lambda value: not isinstance(value, dict) or wanted <= cast(dict[str, Any], value).keys()


def _matches(pattern: str) -> Check:
    search = re.compile(pattern).search
    return lambda value: not isinstance(value, str) or search(value) is not None


def _of_type(names: str | Sequence[str]) -> Check:
    names = [names] if isinstance(names, str) else names
    usual = frozenset(kind for name in names for kind in _USUAL[name])
    checks = [_TYPES[name] for name in names]
    return lambda value: type(value) in usual or any(check(value) for check in checks)
