"""Requests over time against policies, sessions, and guards that lock roles, cut sessions and reclassify buckets."""

import random
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from task import Ask, Diagram, Study, asks, first_that_bites, with_early

ACTIONS = ("ListBucket", "GetObject", "PutObject", "DeleteObject", "GetObjectTagging", "PutObjectTagging")
BUCKETS = ("raw-eu", "raw-us", "mart-eu", "mart-us", "logs-eu", "logs-us")
ROLES = ("Analyst", "Loader", "Auditor", "Cleaner", "Operator", "Partner")
TEAMS = ("red", "blue")
ACCOUNTS = ("Shop", "Lab")
VERBS = ("Get*", "Put*", "*Object", "*Tagging", "GetObject*", "List*", "*Object*", "*")
PLACES = ("raw-*", "mart-*", "logs-*", "*-eu", "*-us", "*")
CONDITIONS = {
    "": "",
    "same": ", if the bucket's team is the role's team",
    "secret": ", if the bucket is secret",
    "open": ", if the bucket is open",
}
EVENTS = 420
EARLY = 150
"""The second after which first facts are asked for."""
LOCKS_AFTER, PUTS, DELETES = 3, 3, 2
"""Refusals in a row, writes that make a bucket secret, deletions that open it."""


@dataclass(frozen=True)
class Statement:
    """Allow or deny some actions on some buckets, perhaps under a condition."""

    effect: str
    actions: tuple[str, ...]
    buckets: tuple[str, ...]
    condition: str = ""

    def told(self) -> str:
        return f"{self.effect} {', '.join(self.actions)} on {', '.join(self.buckets)}{CONDITIONS[self.condition]}"


class Guarded:
    """What is true at a moment; events change it."""

    def __init__(self, world: dict[str, Any], slip: str):
        self.world, self.slip = world, slip
        self.team, self.secret = dict(world["team"]), dict(world["secret"])
        self.until, self.locked = dict.fromkeys(ROLES, 0), dict.fromkeys(ROLES, 0)
        self.refusals = dict.fromkeys(ROLES, 0)
        self.puts, self.deletes = Counter[str](), Counter[str]()
        self.allowed, self.reasons = Counter[str](), Counter[str]()
        self.locks, self.cuts, self.by_action = Counter[str](), 0, Counter[str]()

    def request(self, second: int, role: str, action: str, bucket: str) -> None:
        if second <= self.locked[role]:
            self.reasons["lock"] += 1
            return
        reason = self.reason(second, role, action, bucket)
        if reason:
            self.refuse(second, role, reason)
            return
        self.allowed[role] += 1
        self.by_action[action] += 1
        self.refusals[role] = 0
        if (
            action == "GetObject"
            and self.secret[bucket]
            and self.team[role] != self.team[bucket]
            and self.slip != "uncut"
        ):
            self.until[role], self.cuts = second, self.cuts + 1
        self.count(action, bucket)

    def refuse(self, second: int, role: str, reason: str) -> None:
        self.reasons[reason] += 1
        self.refusals[role] += 1
        if self.refusals[role] == LOCKS_AFTER and self.slip != "unlocked":
            self.locks[role] += 1
            self.refusals[role], self.locked[role] = 0, second + self.world["lock"]

    def count(self, action: str, bucket: str) -> None:
        if self.slip == "unclassified":
            return
        if action.startswith("Put"):
            self.puts[bucket] += 1
            self.secret[bucket] = self.secret[bucket] or self.puts[bucket] % PUTS == 0
        if action == "DeleteObject":
            self.deletes[bucket] += 1
            self.secret[bucket] = self.secret[bucket] and self.deletes[bucket] % DELETES != 0

    def reason(self, second: int, role: str, action: str, bucket: str) -> str:
        if second > self.until[role]:
            return "session"
        if self.world["home"][role] != self.world["owner"][bucket] and role not in self.world["named"][bucket]:
            return "account"
        identity = self.decided(self.world["identity"][role], role, action, bucket)
        control = self.decided(self.world["control"][self.world["home"][role]], role, action, bucket)
        return "" if identity == control == "Allow" else "policy"

    def decided(self, statements: list[Statement], role: str, action: str, bucket: str) -> str:
        holds = {
            "": True,
            "same": self.team[role] == self.team[bucket],
            "secret": self.secret[bucket],
            "open": not self.secret[bucket],
        }
        effects = {
            s.effect
            for s in statements
            if holds[s.condition]
            and any(fnmatchcase(action, pattern) for pattern in s.actions)
            and any(fnmatchcase(bucket, pattern) for pattern in s.buckets)
        }
        return "Deny" if "Deny" in effects else "Allow" if effects else "none"


def _outcome(world: dict[str, Any], slip: str = "") -> dict[str, Any]:
    return with_early(_run(world, slip, 10**6), _run(world, slip, EARLY), ("allowed", "locks", "refused_policy"))


def _run(world: dict[str, Any], slip: str, until: int) -> dict[str, Any]:
    state = Guarded(world, slip)
    for second, (kind, *what) in world["events"].items():
        if second > until:
            break
        if kind == "request":
            state.request(second, what[0], what[1], what[2])
        elif kind == "sign-in":
            state.until[what[0]] = second + world["length"][what[0]]
        elif kind == "team":
            state.team[what[0]] = what[1]
        else:
            state.secret[what[0]] = what[1] == "secret"
    total = sum(kind == "request" for kind, *_ in world["events"].values())
    return {
        **{f"allowed_{role.lower()}": state.allowed[role] for role in ROLES},
        "secret_at_end": [bucket for bucket in BUCKETS if state.secret[bucket]],
        "allowed": sum(state.allowed.values()),
        "locks": sum(state.locks.values()),
        "refused_locked": state.reasons["lock"],
        "refused_session": state.reasons["session"],
        "refused_account": state.reasons["account"],
        "refused_policy": state.reasons["policy"],
        "cuts": state.cuts,
        "never_locked": sum(not state.locks[role] for role in ROLES),
        "refused": total - sum(state.allowed.values()),
        "puts": state.by_action["PutObject"] + state.by_action["PutObjectTagging"],
        "deletes": state.by_action["DeleteObject"],
        "listed": state.by_action["ListBucket"],
        "most_locks": max(state.locks.values(), default=0),
    }


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    return first_that_bites(number, seed, lambda rng: _study(rng, domain, name))


def _statement(rng: random.Random, effect: str) -> Statement:
    actions = tuple(rng.sample(VERBS[:-1], rng.choice((1, 2)))) if effect == "Deny" else tuple(rng.sample(VERBS, 2))
    actions = ("*",) if "*" in actions else actions
    buckets = tuple(rng.sample(PLACES[:-1], rng.choice((1, 2)))) if effect == "Deny" or rng.random() < 0.4 else ("*",)
    return Statement(
        effect, actions, buckets, rng.choice(("same", "secret", "open") if effect == "Deny" else ("", "", *CONDITIONS))
    )


def _world(rng: random.Random) -> dict[str, Any]:
    second, events = 0, {}
    for _ in range(EVENTS):
        second += rng.randint(1, 4)
        kind = rng.choices(("request", "sign-in", "team", "class"), (76, 19, 2, 3))[0]
        role, bucket = rng.choice(ROLES), rng.choice(BUCKETS)
        details = {
            "request": (role, rng.choice((*ACTIONS, "PutObject", "GetObject")), bucket),
            "sign-in": (role,),
            "team": (role, rng.choice(TEAMS)),
            "class": (bucket, rng.choice(("secret", "open", "open"))),
        }
        events[second] = (kind, *details[kind])
    return {
        "events": events,
        "team": {name: rng.choice(TEAMS) for name in (*ROLES, *BUCKETS)},
        "secret": {bucket: rng.random() < 0.3 for bucket in BUCKETS},
        "home": {role: ACCOUNTS[place % 2] for place, role in enumerate(rng.sample(ROLES, len(ROLES)))},
        "owner": {bucket: rng.choice(ACCOUNTS) for bucket in BUCKETS},
        "named": {bucket: sorted(rng.sample(ROLES, 4), key=ROLES.index) for bucket in BUCKETS},
        "identity": {
            role: [_statement(rng, "Allow"), _statement(rng, "Allow"), _statement(rng, "Deny")] for role in ROLES
        },
        "control": {account: [Statement("Allow", ("*",), ("*",)), _statement(rng, "Deny")] for account in ACCOUNTS},
        "length": {role: rng.randint(90, 210) for role in ROLES},
        "lock": rng.randint(17, 34),
    }


def _study(rng: random.Random, domain: str, name: str) -> Study | None:
    world = _world(rng)
    right = _outcome(world)
    if min(right[f"allowed_{role.lower()}"] for role in ROLES) < 12 or right["locks"] < 12 or right["cuts"] < 12:
        return None
    if not 1 <= len(right["secret_at_end"]) <= 5:
        return None
    followed = "Followed event by event."
    return Study(
        "security",
        domain,
        ["AWS Organizations", "AWS IAM", "Amazon S3", "Amazon EventBridge"],
        _diagram(world, domain, name),
        _text(world, domain),
        [
            *[Ask(f"allowed_{r.lower()}", f"the requests of {r} that are allowed", followed) for r in ROLES[:3]],
            *asks(
                followed,
                {
                    "early_allowed": f"the requests of all roles that are allowed up to second {EARLY}",
                    "early_locks": f"how often a role is locked up to second {EARLY}",
                    "early_refused_policy": f"the requests up to second {EARLY} that rule 4 refuses, rules 1 to 3 having let them pass",
                },
            ),
            Ask("secret_at_end", "the buckets that are secret after the last event", followed, BUCKETS),
            Ask("locks", "how often a role is locked", followed),
            Ask("refused_policy", "the requests that rule 4 refuses, rules 1 to 3 having let them pass", followed),
        ],
        [
            ("{} requests are refused by rule 1, because the role is locked.", "refused_locked"),
            ("{} requests are refused by rule 2.", "refused_session"),
            ("{} requests are refused by rule 3.", "refused_account"),
            ("{} requests that write (PutObject, PutObjectTagging) are allowed.", "puts"),
            ("{} requests for DeleteObject are allowed.", "deletes"),
            ("{} requests for ListBucket are allowed.", "listed"),
            ("The role that is locked most often is locked {} times.", "most_locks"),
        ],
        right,
        {
            "forgets that sessions are cut": _outcome(world, "uncut"),
            "forgets the locks": _outcome(world, "unlocked"),
            "leaves the classes of buckets as they were": _outcome(world, "unclassified"),
        },
    )


def _diagram(world: dict[str, Any], domain: str, name: str) -> Diagram:
    diagram = Diagram(name, f"{domain.capitalize()} accounts")
    diagram.node("center", "Sign-in", "security.SingleSignOn")
    diagram.node("guard", "Guard", "security.Guardduty", None, f"locks for {world['lock']} s")
    diagram.edge("center", "guard", "all requests")
    for account in ACCOUNTS:
        diagram.cluster(account.lower(), f"{account} account", columns=3)
    for role in ROLES:
        note = f"team {world['team'][role]}; sessions of {world['length'][role]} s"
        diagram.node(role.lower(), role, "security.IAMRole", world["home"][role].lower(), note)
    for bucket in BUCKETS:
        note = f"team {world['team'][bucket]}; {'secret' if world['secret'][bucket] else 'open'}; names {', '.join(world['named'][bucket])}"
        diagram.node(bucket, bucket, "storage.S3", world["owner"][bucket].lower(), note)
    return diagram


def _text(world: dict[str, Any], domain: str) -> str:
    told = {"sign-in": "{} signs in", "team": "{} moves to team {}", "class": "{} becomes {}", "request": "{} {} {}"}
    events = "\n".join(f"{second}: {told[kind].format(*what)}" for second, (kind, *what) in world["events"].items())
    policies = "\n".join(
        [f"- {role}: {'; '.join(s.told() for s in world['identity'][role])}." for role in ROLES]
        + [f"- control policy of {a}: {'; '.join(s.told() for s in world['control'][a])}." for a in ACCOUNTS]
    )
    return f"""The architecture below shows roles and buckets of a {domain} company before anything happens: in which account they are, their team, whether a bucket is secret or open, the roles that a bucket names, and for how long a session of a role lasts. The wiki says that all sessions last an hour; what is drawn is what runs. The roles' identity policies and the accounts' control policies are (a star stands for any characters, or none):

{policies}

A policy decides about a request: Deny if one of its deny statements matches, otherwise Allow if one of its allow statements matches, otherwise nothing. These events follow, each with its second; "Loader GetObject raw-eu" is a request:

{events}

These rules are exact. A request is refused by the first of rules 1 to 4 that refuses it, and allowed if none does:

1. A role that is locked has its requests refused. These refusals count for nothing else.
2. A role needs a session. Signing in in second s gives it one for the requests of seconds s to s + n, where n is in its note, instead of any session that it has. Locked roles can sign in too. At the start nobody has a session.
3. If role and bucket are in different accounts, the bucket must name the role. In the same account this is not needed.
4. The role's identity policy and the control policy of the role's account must both decide Allow, with teams and classes (secret or open) as they are in this moment. A role that moves keeps its session.
5. When {LOCKS_AFTER} requests of a role in a row have been refused by rules 2 to 4, the role is locked: refused in second s, it is locked in seconds s + 1 to s + {world["lock"]}, and its count starts again at zero. An allowed request sets the count to zero; refusals by rule 1 leave it as it is.
6. When a GetObject on a secret bucket is allowed and the bucket's team is not the role's team, the role's session ends with this request.
7. Each bucket counts its allowed PutObject and PutObjectTagging requests together; every {PUTS}rd makes it secret (if it is secret already, it stays so). It also counts its allowed DeleteObject requests; every {DELETES}nd makes it open. The counts run on whatever happens. This takes effect after the request. A bucket that "becomes secret" or "becomes open" changes at once, and so does a role that "moves".

The security team has noted:

{{lines}}"""
