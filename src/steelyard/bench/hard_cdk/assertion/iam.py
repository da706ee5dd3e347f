"""IAM on a deployment: is a request allowed?

As in AWS: an explicit Deny wins. A role of the account needs an Allow in its own policies or in a policy of the
resource that names it; for a KMS key and for assuming a role, the resource's policy must name it, or name the account
and leave the decision to the role's own policies. A permissions boundary must allow the request too. Services, other
accounts and anonymous callers need the resource's policy. Roles that exist already, here or in
other accounts, are assumed to have the policies of their own that they need. A key or role that is not part of the app
leaves the decision to the caller's policies. A managed policy of AWS that is not known here is `Undecided`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from steelyard.bench.cdk_synth.intent.statement import glob
from steelyard.bench.cdk_synth.shape import listing, mapping
from steelyard.bench.hard_cdk.assertion.policies import identity_documents, managed, resource_documents
from steelyard.bench.hard_cdk.assertion.proviso import Context, Undecided, met, substituted
from steelyard.bench.hard_cdk.deploy import Deployed, Deployment
from steelyard.bench.hard_cdk.deploy.physical import ACCOUNT

MAX_STATEMENTS = 1_000
"""Statements considered per request."""
HOME = f"known:arn:aws:iam::{ACCOUNT}:"
"""Prefix of roles of the account that exist already; their own policies are assumed to allow the request."""
AWAY = ("account:", "known:")
"""Prefixes of callers from other accounts; their own policies are assumed to allow the request."""
Match = Literal["direct", "account"]


@dataclass(frozen=True, slots=True)
class Call:
    """One request."""

    principal: str
    action: str
    resource: str
    context: Context


class Simulator:
    """Decides requests on one deployment."""

    def __init__(self, deployment: Deployment) -> None:
        self._resources = deployment.resources
        self._roles = {item.arn: item for item in deployment.resources if item.type == "AWS::IAM::Role"}
        self._documents = list(resource_documents(deployment.resources))
        self._owners = {owner for owner, _ in self._documents}

    def allows(self, principal: str, action: str, resource: str, context: Mapping[str, str | tuple[str, ...]]) -> bool:
        """Whether the request is allowed; raises `Undecided` if that cannot be said."""
        if principal.startswith("boundary:"):
            return self._within(principal.removeprefix("boundary:"), Call(principal, action, resource, _plain(context)))
        role = self._roles.get(principal)
        if principal.startswith("arn:") and role is None:
            raise Undecided(f"{principal} is not a role of this app")
        call = Call(principal, action, resource, self._context(principal, role, resource, context))
        # One entry per statement that applies: True allows, False is an explicit Deny.
        own = list(self._identity(role, call)) if role else [True] * principal.startswith(HOME)
        beside = list(self._beside(call))
        if not all(own) or not all(allow for allow, _ in beside):
            return False
        ways = {way for _, way in beside}
        if role is None and not principal.startswith(HOME):
            return bool(ways) if principal.startswith(AWAY) else "direct" in ways
        boundary = None if role is None else role.properties.get("PermissionsBoundary")
        if boundary is not None and not self._within(str(boundary), call):
            return False
        # Keys and roles open by their own policy: to a caller that it names, or to the account, which then decides.
        if action.lower().startswith(("kms:", "sts:assumerole", "sts:tagsession")):
            return "direct" in ways or (bool(own) and ("account" in ways or resource not in self._owners))
        return bool(own) or "direct" in ways

    def _identity(self, role: Deployed, call: Call) -> Iterator[bool]:
        for statement in _statements(identity_documents(role, self._resources)):
            if _applies(statement, call, None):
                yield statement.get("Effect") == "Allow"

    def _beside(self, call: Call) -> Iterator[tuple[bool, Match]]:
        for owner, document in self._documents:
            # The policy of a bucket holds for its objects (`/`), that of a function for its versions (`:`).
            if call.resource != owner and not call.resource.startswith((f"{owner}/", f"{owner}:")):
                continue
            for statement in _statements([document]):
                way = _named(statement.get("Principal"), call)
                if "NotPrincipal" in statement:
                    way = None if _named(statement["NotPrincipal"], call) else "direct"
                if way is not None and _applies(statement, call, owner):
                    yield statement.get("Effect") == "Allow", way

    def _within(self, policy: str, call: Call) -> bool:
        """Whether a managed policy by itself allows the call."""
        statements = _statements([managed(policy, self._resources)])
        effects = [item.get("Effect") == "Allow" for item in statements if _applies(item, call, None)]
        return bool(effects) and all(effects)

    def _context(
        self, principal: str, role: Deployed | None, resource: str, given: Mapping[str, str | tuple[str, ...]]
    ) -> Context:
        service = principal.startswith("service:")
        arn = _arn(principal)
        context: dict[str, tuple[str, ...]] = {
            # Requests come over TLS unless an assertion says otherwise.
            "aws:securetransport": ("true",),
            "aws:principalisawsservice": (str(service).lower(),),
            "aws:resourceaccount": (ACCOUNT,),
        }
        if arn is not None:
            context |= {"aws:principalarn": (arn,), "aws:principalaccount": (arn.split(":")[4],)}
            context["aws:principaltype"] = ("AssumedRole",)
        for key, value in (role.tags if role else {}).items():
            context[f"aws:principaltag/{key.lower()}"] = (value,)
        target = next((item for item in self._resources if item.arn == resource), None)
        for key, value in (target.tags if target else {}).items():
            context[f"aws:resourcetag/{key.lower()}"] = (value,)
            context[f"{resource.split(':')[2]}:resourcetag/{key.lower()}"] = (value,)
        return context | _plain(given)


def _plain(given: Mapping[str, str | tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {key.lower(): (value,) if isinstance(value, str) else tuple(value) for key, value in given.items()}


def _statements(documents: Iterable[object]) -> Iterator[dict[str, Any]]:
    count = 0
    for document in documents:
        for statement in map(mapping, listing(mapping(document).get("Statement"))):
            count += 1
            if count > MAX_STATEMENTS:
                raise Undecided(f"more than {MAX_STATEMENTS} statements")
            yield statement


def _applies(statement: Mapping[str, Any], call: Call, owner: str | None) -> bool:
    """Whether action, resource and conditions of the statement fit; `owner` is what the policy belongs to."""
    if not _covers(statement, "Action", lambda written: glob(written.lower(), call.action.lower())):
        return False
    if "Resource" in statement or "NotResource" in statement:
        if not _covers(statement, "Resource", lambda written: _resource(written, call)):
            return False
    # Only the policy of a resource may leave out which one it is about.
    elif owner is None:
        return False
    return met(statement.get("Condition"), call.context)


def _covers(statement: Mapping[str, Any], key: str, fits: Callable[[str], bool]) -> bool:
    inverted = f"Not{key}" in statement
    written = [text for text in listing(statement.get(f"Not{key}" if inverted else key)) if isinstance(text, str)]
    return any(map(fits, written)) != inverted


def _resource(written: str, call: Call) -> bool:
    text = substituted(written, call.context)
    return text is not None and glob(text, call.resource)


def _named(written: object, call: Call) -> Match | None:
    kind, _, name = call.principal.partition(":")
    if written == "*":
        return "direct"
    groups = {key.lower(): [str(value) for value in listing(part)] for key, part in mapping(written).items()}
    if kind == "service":
        return "direct" if name in groups.get("service", ()) or "*" in groups.get("aws", ()) else None
    principals = groups.get("aws", [])
    if "*" in principals:
        return "direct"
    arn = _arn(call.principal)
    if arn is None:
        return None
    account = arn.split(":")[4]
    if arn in principals:
        return "direct"
    return "account" if {account, f"arn:aws:iam::{account}:root"} & set(principals) else None


def _arn(principal: str) -> str | None:
    """The ARN of a caller that has one."""
    kind, _, name = principal.partition(":")
    if kind == "account":
        return f"arn:aws:iam::{name}:role/caller"
    return {"arn": principal, "known": name}.get(kind)
