"""Routes, network ACLs, address plans and shards."""

import random
from ipaddress import IPv4Address, IPv4Network, ip_address

from scenario import Claim, Scenario, scenario, truth

TARGETS = ("tgw-a", "pcx-b", "vgw-c", "eni-d", "pcx-e", "gwlb-f", "tgw-h", "eni-k")


def _prefixes(rng: random.Random, second: int) -> list[IPv4Network]:
    """Nested prefixes below 10.0.0.0/8, seven chains of three."""
    chosen = [IPv4Network("10.0.0.0/8")]
    base = second
    for _ in range(7):
        wide = IPv4Network((int(IPv4Address(f"10.{base}.0.0")), rng.choice((12, 13, 14))), strict=False)
        middle = rng.choice(list(wide.subnets(new_prefix=rng.choice((16, 17)))))
        narrow = rng.choice(list(middle.subnets(new_prefix=rng.choice((19, 20, 21)))))
        chosen += [wide, middle, narrow]
        base += rng.choice((16, 20, 24))
    return chosen


@scenario((11, 16, "an inspection VPC"), (12, 24, "a shared services VPC"))
def routes(setting: tuple[int, int, str]) -> Scenario:
    seed, second, place = setting
    rng = random.Random(seed)
    prefixes = _prefixes(rng, second)
    static = {prefix: rng.choice(TARGETS) for prefix in prefixes}
    doubled = rng.sample(prefixes[1:], 5)
    propagated = {prefix: rng.choice([name for name in TARGETS if name != static[prefix]]) for prefix in doubled}
    removed = rng.sample([prefix for prefix in doubled if prefix.prefixlen > 15], 1)[0]
    lines = [f"{prefix} -> {target} (static)" for prefix, target in static.items() if prefix != removed]
    lines += [f"{prefix} -> {target} (propagated)" for prefix, target in propagated.items()]
    rng.shuffle(lines)
    table = {**propagated, **{prefix: target for prefix, target in static.items() if prefix != removed}}

    def target(address: IPv4Address, skip: int = 0) -> str:
        matching = sorted((p for p in table if address in p), key=lambda p: -p.prefixlen)
        return table[matching[min(skip, len(matching) - 1)]]

    def claim(address: IPv4Address) -> Claim | None:
        right = target(address)
        longest = max((p for p in table if address in p), key=lambda p: p.prefixlen)
        slips = [(target(address, 1), "takes the second longest match")]
        near = [p for p in table if address not in p and p.prefixlen > 12 and _distance(address, p) < 2**12]
        slips += [(table[p], f"takes the address to be in {p}") for p in near]
        if longest in propagated and longest in static and longest != removed:
            slips.append((propagated[longest], "lets the propagated route win"))
        slips = [slip for slip in slips if slip[0] != right]
        why = f"The longest match is {longest}, {longest[0]} to {longest[-1]}."
        return Claim(f"A packet to {address} is sent to {{}}.", right, slips, why) if slips else None

    edges = [p for p in table if p.prefixlen > 11]
    rng.shuffle(edges)
    claims: list[Claim] = []
    for number, prefix in enumerate(edges):
        step = rng.randint(1, 250)
        inside = (prefix[-1] - step) if number % 2 else (prefix[0] + step)
        outside = (prefix[-1] + step) if number % 2 else (prefix[0] - step)
        made = claim(inside if number % 3 else outside)
        claims += [made] if made is not None else []
    text = f"""The route table of a subnet in {place} has these routes besides local and a default route:

{chr(10).join(lines)}

The longest matching prefix wins; between equal prefixes a static route wins over a propagated one. The VPC's own range is 192.168.0.0/16. Nothing else influences routing. The table below an audit lists where packets from the subnet are sent."""
    return Scenario(
        "operations",
        ["Amazon VPC", "AWS Transit Gateway"],
        "Amazon VPC User Guide: Route priority",
        text.replace("The table below an audit lists", "An audit lists"),
        claims[:10],
        "The longest prefix that contains the address decides; static wins over propagated only for equal prefixes.",
    )


def _distance(address: IPv4Address, prefix: IPv4Network) -> int:
    return min(abs(int(address) - int(prefix[0])), abs(int(address) - int(prefix[-1])))


@scenario((21, "10.61", "orders"), (22, "172.20", "claims"))
def acl(setting: tuple[int, str, str]) -> Scenario:
    seed, net, name = setting
    rng = random.Random(seed)
    service = rng.choice((8080, 8443, 9000))
    inbound = [
        (90, "deny", service, service, f"{net}.16.0/21"),
        (95, "allow", service, service, f"{net}.20.0/23"),
        (100, "deny", service, service, f"{net}.48.64/26"),
        (110, "allow", service, service, f"{net}.32.0/19"),
        (120, "allow", 1024, 5999, f"{net}.96.0/20"),
        (130, "deny", 5432, 7500, "0.0.0.0/0"),
        (140, "allow", 1024, 32767, f"{net}.0.0/16"),
        (150, "deny", 32768, 40959, f"{net}.112.0/22"),
        (160, "allow", 32768, 61000, "0.0.0.0/0"),
    ]
    outbound = [
        (80, "deny", 443, 443, "198.51.100.128/25"),
        (90, "allow", 443, 443, "0.0.0.0/0"),
        (100, "allow", 5432, 5432, f"{net}.96.0/20"),
        (110, "deny", 5432, 5432, f"{net}.0.0/16"),
        (120, "deny", 33000, 41000, f"{net}.32.0/21"),
        (130, "allow", 1024, 50000, f"{net}.32.0/19"),
        (140, "deny", 1024, 65535, f"{net}.52.0/22"),
        (150, "allow", 1024, 65535, f"{net}.0.0/17"),
        (160, "allow", 1024, 65535, f"{net}.112.0/22"),
    ]

    def passes(rules: list[tuple[int, str, int, int, str]], port: int, peer: str) -> tuple[bool, str]:
        for number, action, low, high, block in rules:
            if low <= port <= high and ip_address(peer) in IPv4Network(block):
                return action == "allow", f"rule {number}"
        return False, "the final deny"

    def host(*thirds: int) -> str:
        return f"{net}.{rng.choice(thirds)}.{rng.randint(65, 126)}"

    flows = [
        ("in", host(20, 21), rng.randint(42000, 49000)),
        ("in", host(22, 23), rng.randint(42000, 49000)),
        ("in", f"{net}.48.{rng.randint(66, 120)}", rng.randint(42000, 49000)),
        ("in", f"{net}.48.{rng.randint(130, 250)}", rng.randint(50100, 60000)),
        ("in", host(33, 38), rng.randint(33100, 40900)),
        ("in", host(41, 44), rng.randint(33100, 40900)),
        ("in", host(53, 54), rng.randint(50100, 60000)),
        ("in", host(57, 62), rng.randint(50100, 60000)),
        ("in", host(53, 55), rng.randint(42000, 49000)),
        ("out", f"{net}.{rng.randint(97, 110)}.{rng.randint(5, 250)}:5432", rng.randint(5500, 5990)),
        ("out", f"{net}.{rng.randint(97, 110)}.{rng.randint(5, 250)}:5432", rng.randint(6010, 7400)),
        ("out", f"{net}.{rng.randint(112, 115)}.{rng.randint(5, 250)}:5432", rng.randint(33000, 40000)),
        ("out", f"198.51.100.{rng.randint(20, 120)}:443", rng.randint(33000, 60000)),
        ("out", f"198.51.100.{rng.randint(130, 250)}:443", rng.randint(33000, 60000)),
        ("out", f"203.0.113.{rng.randint(5, 250)}:443", rng.randint(61100, 65000)),
    ]
    rng.shuffle(flows)
    claims = []
    for kind, peer, port in flows[:10]:
        if kind == "in":
            there, by = passes(inbound, service, peer)
            back, by_back = passes(outbound, port, peer)
            sentence = f"A connection from {peer}, source port {port}, to port {service} {{}}."
        else:
            address, _, remote = peer.partition(":")
            there, by = passes(outbound, int(remote), address)
            back, by_back = passes(inbound, port, address)
            sentence = f"A connection to {address}, port {remote}, from source port {port} {{}}."
        why = f"The request meets {by}, the reply {by_back}." if there else f"The request meets {by}."
        slip = "looks only at the request" if there and not back else "reads the rules in another order"
        claims.append(truth(sentence, there and back, ("works", "fails"), slip, why))

    def shown(rules: list[tuple[int, str, int, int, str]], word: str) -> str:
        parts = [f"{n} {action} {low}-{high} {word} {block}" for n, action, low, high, block in rules]
        return "; ".join(parts) + "; * deny all"

    text = f"""The servers of the application {name} are in one subnet, {net}.128.0/24, with a custom network ACL. All rules are for TCP, listed as number, action, port range and peer.

Inbound: {shown(inbound, "from")}.

Outbound: {shown(outbound, "to")}.

The security group of the servers allows port {service} from everywhere and all outbound traffic. Peers allow everything, and routing works. Connections to port {service} below are made to one of the servers, the others by one of them."""
    return Scenario(
        "security",
        ["Amazon VPC"],
        "Amazon VPC User Guide: Network ACLs",
        text,
        claims,
        "A network ACL is stateless: the request is matched by the server's port, the reply by the client's port, each by the first rule that fits.",
    )


@scenario((31, "10.44.64.0/18", "10.44.128.0/17"), (32, "10.92.192.0/18", "10.92.128.0/18"))
def addresses(setting: tuple[int, str, str]) -> Scenario:
    seed, block, peer_block = setting
    rng = random.Random(seed)
    vpc, peer = IPv4Network(block), IPv4Network(peer_block)
    taken: list[IPv4Network] = []
    for length in (21, 22, 22, 23, 23, 24, 24, 25, 26, 26, 27, 28):
        free = [s for s in vpc.subnets(new_prefix=length) if not any(s.overlaps(t) for t in taken)]
        taken.append(rng.choice(free))

    def free_of(length: int, used: list[IPv4Network]) -> list[IPv4Network]:
        return [s for s in vpc.subnets(new_prefix=length) if not any(s.overlaps(t) for t in used)]

    def count_claim(length: int) -> Claim:
        number = len(free_of(length, taken))
        gaps = sum(2 ** (32 - t.prefixlen) for t in taken)
        naive = (vpc.num_addresses - gaps) // 2 ** (32 - length)
        slips = [(str(naive), "divides the free addresses and forgets that blocks are aligned")]
        slips += [(str(number + 1), "miscounts by one"), (str(max(0, number - 1)), "miscounts by one")]
        return Claim(
            f"Exactly {{}} subnets of size /{length} can still be created.",
            str(number),
            slips,
            "Counted over all aligned blocks.",
        )

    def candidate(length: int, free: bool) -> Claim:
        untaken = set(free_of(length, taken))
        pool = [s for s in vpc.subnets(new_prefix=length) if (s in untaken) == free]
        chosen = rng.choice(pool)
        clash = next((t for t in taken if t.overlaps(chosen)), None)
        why = f"{chosen} ends at {chosen[-1]}; " + (f"it overlaps {clash}." if clash else "nothing overlaps it.")
        return truth(
            f"{chosen} {{}} be created as a further subnet.",
            free,
            ("can", "cannot"),
            "misjudges where a block ends",
            why,
        )

    total = sum(t.num_addresses - 5 for t in taken)
    usable = [
        (str(sum(t.num_addresses - 2 for t in taken)), "takes two addresses from each subnet"),
        (str(total + 5), "forgets one subnet's reserve"),
    ]
    biggest = next(length for length in range(19, 29) if free_of(length, taken))
    pair = sorted(rng.sample(range(12), 2))
    both = sum(taken[i].num_addresses - 5 for i in pair)
    claims = [
        *(count_claim(length) for length in (22, 23, 24, 25)),
        candidate(23, True),
        candidate(24, False),
        candidate(25, True),
        candidate(26, False),
        Claim(
            "The existing subnets have {} usable addresses in all.",
            str(total),
            usable,
            "Each subnet loses five addresses.",
        ),
        Claim(
            "The largest subnet that still fits is a /{}.",
            str(biggest),
            [(str(biggest - 1), "does not check the alignment"), (str(biggest + 1), "overlooks a gap")],
            "Searched over all aligned blocks.",
        ),
        Claim(
            f"{taken[pair[0]]} and {taken[pair[1]]} together hold {{}} instances.",
            str(both),
            [
                (str(both + 10), "forgets the reserved addresses"),
                (str(both + 6), "takes two addresses from each subnet"),
            ],
            "Five addresses of each are reserved.",
        ),
        truth(
            f"The block {vpc.supernet()} {{}} be added to the VPC.",
            False,
            ("can", "cannot"),
            "believes that a VPC can be widened in place",
            "It contains the VPC's own block.",
        ),
    ]
    claims = claims[:4] + rng.sample(claims[4:], 6)
    text = f"""A VPC with the only CIDR block {vpc} is peered with a VPC {peer}. It has twelve subnets: {", ".join(map(str, taken))}. AWS reserves five addresses in every subnet; subnets may be as large as /16 and as small as /28, and a block begins at a multiple of its size. Existing subnets stay as they are, each statement is about the VPC as it is now, and an instance needs one address."""
    return Scenario(
        "operations",
        ["Amazon VPC"],
        "Amazon VPC User Guide: Subnet CIDR blocks",
        text,
        claims,
        "A subnet must be aligned to its size and overlap no other; five of its addresses are reserved.",
    )


@scenario((41, "telemetry"), (42, "payments"))
def reshard(setting: tuple[int, str]) -> Scenario:
    seed, name = setting
    rng = random.Random(seed)
    size = 65536
    shards: dict[str, tuple[int, int]] = {}
    events: list[str] = []
    number = 0
    for low in range(0, size, size // 4):
        shards[f"s{number}"] = (low, low + size // 4 - 1)
        number += 1
    closed: dict[str, tuple[int, int]] = {}
    snapshots = []
    for step in range(1, 12):
        if step in (4, 8, 10):
            ordered = sorted(shards.items(), key=lambda item: item[1])
            place = rng.randrange(len(ordered) - 1)
            (one, (low, _)), (two, (_, high)) = ordered[place], ordered[place + 1]
            closed[one], closed[two] = shards.pop(one), shards.pop(two)
            shards[f"s{number}"] = (low, high)
            events.append(f"{step}. merge {one} and {two}")
            number += 1
        else:
            parent = rng.choice(sorted(shards, key=lambda shard: shards[shard][0] - shards[shard][1])[:4])
            low, high = shards[parent]
            start = low + (high - low) * rng.randint(20, 80) // 100
            closed[parent] = shards.pop(parent)
            shards[f"s{number}"], shards[f"s{number + 1}"] = (low, start - 1), (start, high)
            events.append(f"{step}. split {parent} at {start}")
            number += 2
        snapshots.append(dict(shards))

    def owner(key: int, state: dict[str, tuple[int, int]]) -> str:
        return next(shard for shard, (low, high) in state.items() if low <= key <= high)

    claims = []
    for low, high in rng.sample(sorted(shards.values()), 7):
        key = rng.choice((low, high, low + rng.randint(1, 40), high - rng.randint(1, 40)))
        right = owner(key, shards)
        slips = [(owner((key + d) % size, shards), "misreads a boundary") for d in (-900, 900, -3000, 3000)]
        slips.append((owner(key, snapshots[-3]), "overlooks the last two operations"))
        slips = [slip for slip in slips if slip[0] != right] or [("s2", "misreads a boundary")]
        claims.append(
            Claim(
                f"After step 11 the hash key {key} belongs to {{}}.",
                right,
                slips,
                f"{right} spans {shards[right][0]} to {shards[right][1]}.",
            )
        )
    widest = max(shards, key=lambda shard: shards[shard][1] - shards[shard][0])
    width = shards[widest][1] - shards[widest][0] + 1
    claims += [
        Claim(
            "After step 11 the stream has {} open shards.",
            str(len(shards)),
            [(str(len(shards) + 1), "counts a parent as open"), (str(len(shards) - 1), "lets a merge remove two")],
            "A split adds one, a merge removes one.",
        ),
        Claim(
            "The widest open shard spans {} hash keys.",
            f"{width:,}",
            [(f"{width - 1:,}", "subtracts the ends"), (f"{width + 1024:,}", "misreads a boundary")],
            f"It is {widest}.",
        ),
        Claim(
            "{} shards have been closed in all.",
            str(len(closed)),
            [(str(len(closed) - 1), "forgets a parent"), (str(len(closed) + 2), "counts children")],
            "Eight splits close one each, three merges two each.",
        ),
    ]
    text = f"""A data stream for {name} uses a hash key space of 0 to {size - 1:,} in this question. At first s0 to s3 have a quarter each, in ascending order. New shards are numbered in the order in which they come to be; a split of a shard at a value gives the lower child, up to the value minus one, the next number and the upper child, from the value on, the number after it. A merge of two neighbours gives one new shard. Parents are closed for new records. The operations, one after the other:

{chr(10).join(events)}"""
    return Scenario(
        "performance",
        ["Amazon Kinesis Data Streams"],
        "Amazon Kinesis Data Streams Developer Guide: Resharding a stream",
        text,
        claims,
        "Every hash key belongs to exactly one open shard; the starting hash key of a split goes to the upper child.",
    )
