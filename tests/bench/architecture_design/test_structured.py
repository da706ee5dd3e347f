"""Diagrams in answers: which block counts, what it connects, what a broken one says (docs/structured-outputs.md)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steelyard.bench.architecture_design.diagram import CANDIDATES, Diagram, judged
from steelyard.bench.architecture_design.diagram.blocks import parts
from steelyard.bench.architecture_design.diagram.drawing import LIMIT, DiagramError, Drawing, read_json
from steelyard.bench.architecture_design.diagram.mermaid import parser
from steelyard.bench.architecture_design.diagram.plantuml import read_plantuml

from .weighing import SHARED

pytestmark = SHARED
CHART = "flowchart LR\n  api[API Gateway] --> fn[Lambda]"
UML = "@startuml\n[API Gateway] --> [Lambda]\n@enduml"
OBJECT: dict[str, Any] = {
    "components": [
        {"id": "a", "service": "API Gateway", "role": "front door"},
        {"id": "b", "service": "Lambda", "role": "code"},
    ],
    "connections": [{"from": "a", "to": "b", "label": "invoke"}],
}


def fenced(tag: str, text: str) -> str:
    return f"Words before.\n\n```{tag}\n{text}\n```\n\nWords after."


def check(answer: str, wanted: str = "mermaid", expected: tuple[str, ...] = ("API Gateway", "Lambda")) -> Diagram:
    return judged(answer, wanted, expected, parser().read)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "answer"),
    [
        ("mermaid", fenced("mermaid", CHART)),
        ("mermaid", fenced("Mermaid", CHART)),
        ("mermaid", fenced("mermaid", CHART).replace("```", "~~~~")),
        ("mermaid", f"```mermaid\n{CHART}"),  # never closed: it ends with the answer
        ("mermaid", fenced("mermaid", f"---\ntitle: x\n---\n%% a comment\n{CHART}")),
        ("mermaid", fenced("mermaid", CHART).replace("\n", "\r\n")),
        ("plantuml", fenced("plantuml", UML)),
        ("plantuml", fenced("puml", UML)),
        ("json", fenced("json", json.dumps(OBJECT))),
        ("json", fenced("JSON", json.dumps(OBJECT, indent=2))),
    ],
)
def test_a_diagram_in_its_fence_is_valid(wanted: str, answer: str) -> None:
    found = check(answer, wanted)
    assert (found.status, found.missing) == ("valid", ())
    assert not found.wrong_fence


@pytest.mark.parametrize(
    ("wanted", "answer"),
    [
        ("mermaid", fenced("", CHART)),
        ("mermaid", fenced("text", CHART)),
        ("mermaid", fenced("graphviz", CHART)),
        ("plantuml", fenced("uml", UML)),
        ("plantuml", f"No fence at all:\n{UML}\nand more."),
        ("json", fenced("", json.dumps(OBJECT))),
        ("json", fenced("javascript", json.dumps(OBJECT))),
    ],
)
def test_a_diagram_in_the_wrong_fence_is_found_and_flagged(wanted: str, answer: str) -> None:
    found = check(answer, wanted)
    assert found.status == "valid"
    assert found.wrong_fence


@pytest.mark.parametrize(
    ("wanted", "answer", "status", "reason"),
    [
        ("mermaid", "no diagram", "absent", "no mermaid diagram"),
        ("mermaid", fenced("mermaid", "  \n"), "absent", "no mermaid diagram"),
        ("mermaid", fenced("plantuml", UML), "absent", "no mermaid diagram"),  # another language is no Mermaid
        ("mermaid", fenced("mermaid", "flowchart LR\n BROKEN ["), "invalid", "Parse error"),
        ("mermaid", fenced("mermaid", "flowchart LR\n a[API Gateway]"), "invalid", "1 node(s) and 0 edge(s)"),
        ("mermaid", fenced("mermaid", "flowchart LR\n a --> a"), "invalid", "at least 2 and 1"),  # to itself: no edge
        ("mermaid", fenced("mermaid", 'pie\n "S3": 3'), "invalid", "0 node(s)"),
        ("mermaid", fenced("mermaid", CHART + "\n" + "%% x\n" * LIMIT), "invalid", "the limit is 50,000"),
        ("plantuml", fenced("plantuml", "[A] --> [B]"), "invalid", "@startuml"),
        ("plantuml", fenced("plantuml", "@startuml\n!include /etc/passwd\n[A]-->[B]\n@enduml"), "invalid", "line 2"),
        ("json", fenced("json", '{"components": []'), "invalid", "not JSON"),
        ("json", fenced("json", "[1, 2]"), "invalid", "is not of type"),
    ],
)
def test_what_is_not_valid_says_why(wanted: str, answer: str, status: str, reason: str) -> None:
    found = check(answer, wanted)
    assert found.status == status
    assert reason in str(found.error)


def test_of_several_diagrams_the_valid_one_with_most_components_counts() -> None:
    broken = fenced("mermaid", "flowchart LR\n BROKEN [")
    half = fenced("mermaid", "flowchart LR\n a[API Gateway] --> b[Browser]")
    found = check(broken + half + fenced("mermaid", CHART))
    assert (found.status, found.missing, found.candidates) == ("valid", (), 3)
    assert check(broken + half).missing == ("Lambda",)
    assert check(broken + broken).status == "invalid"


def test_a_tagged_broken_diagram_is_not_replaced_by_an_untagged_one() -> None:
    assert check(fenced("mermaid", "flowchart LR\n BROKEN [") + fenced("", CHART)).status == "invalid"


def test_only_the_first_few_candidates_are_looked_at() -> None:
    asked: list[str] = []

    def mermaid(text: str) -> Drawing | str:
        asked.append(text)
        return "no"

    judged(fenced("mermaid", CHART) * 40, "mermaid", (), mermaid)
    assert len(asked) == CANDIDATES


def test_a_diagram_over_the_limit_never_reaches_the_parser() -> None:
    def mermaid(text: str) -> Drawing | str:
        raise AssertionError("asked")

    huge = "flowchart LR\n" + "a-->b\n" * 170_000  # 1 MB
    assert judged(fenced("mermaid", huge), "mermaid", ("S3",), mermaid).status == "invalid"


def test_missing_components_are_named_and_leave_the_diagram_valid() -> None:
    found = check(fenced("mermaid", CHART), expected=("API Gateway", "DynamoDB", "SQS"))
    assert (found.status, found.missing) == ("valid", ("DynamoDB", "SQS"))


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("ALB", "Application Load Balancer"),
        ("Amazon S3 (raw)", "S3"),
        ("Firehose<br/>batches", "Data Firehose"),
        ("Postgres on RDS", "RDS for PostgreSQL"),
        ("Redis", "ElastiCache"),
        ("AWS Lambda: resize", "Lambda"),
        ("Flink job", "Managed Service for Apache Flink"),
    ],
)
def test_components_are_found_under_their_other_names(label: str, expected: str) -> None:
    assert check(fenced("mermaid", f'flowchart LR\n x["{label}"] --> y[Other]'), expected=(expected,)).missing == ()


def test_kinesis_streams_are_no_firehose() -> None:
    drawn = fenced("mermaid", "flowchart LR\n x[Kinesis Data Streams] --> y[S3]")
    assert check(drawn, expected=("Data Firehose",)).missing == ("Data Firehose",)


@pytest.mark.parametrize(
    ("text", "nodes", "edges"),
    [
        ("graph TD; A-->B;", {"A": "A", "B": "B"}, [("A", "B")]),
        ("flowchart LR\n a[One] -->|label| b(Two)", {"a": "One", "b": "Two"}, [("a", "b")]),
        ("flowchart LR\n a -- some text --> b", {"a": "a", "b": "b"}, [("a", "b")]),
        ("flowchart LR\n a -. dotted .-> b ==> c", {"a": "a", "b": "b", "c": "c"}, [("a", "b"), ("b", "c")]),
        ("flowchart LR\n a & b --> c & d", None, [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")]),
        ("flowchart LR\n a <--> b", None, [("a", "b"), ("b", "a")]),
        ('flowchart LR\n a["One (x)"] --> b[("Store")]', {"a": "One (x)", "b": "Store"}, [("a", "b")]),
        ("flowchart LR\n a((C)) --> b{{H}} --> c[[S]]", {"a": "C", "b": "H", "c": "S"}, [("a", "b"), ("b", "c")]),
        ("flowchart LR\n a:::hot --> b\n classDef hot fill:#f00", {"a": "a", "b": "b"}, [("a", "b")]),
        ("flowchart LR\n subgraph vpc [VPC]\n a --> b\n end\n b --> c", None, [("a", "b"), ("b", "c")]),
        (
            "flowchart LR\n subgraph vpc [The VPC]\n a\n end\n x --> vpc",
            {"a": "a", "x": "x", "vpc": "The VPC"},
            [("x", "vpc")],
        ),
        ("flowchart LR\n a ~~~ b", {"a": "a", "b": "b"}, []),  # an invisible link is no edge
        ('flowchart LR\n a@{ shape: cyl, label: "Store" } --> b', {"a": "Store", "b": "b"}, [("a", "b")]),
        ("flowchart LR\n my-node --> other.node", None, [("my-node", "other.node")]),
        (
            "sequenceDiagram\n participant A as Alpha\n A->>B: hi\n B-->>A: bye",
            {"A": "Alpha", "B": "B"},
            [("A", "B"), ("B", "A")],
        ),
        ("stateDiagram-v2\n [*] --> Idle\n Idle --> Busy: go", None, [("root_start", "Idle"), ("Idle", "Busy")]),
        (
            "architecture-beta\n service a(server)[Web]\n service b(database)[Db]\n a:R --> L:b",
            {"a": "Web", "b": "Db"},
            [("a", "b")],
        ),
        (
            'C4Context\n Person(u, "User")\n System(s, "Shop")\n Rel(u, s, "buys")',
            {"u": "User", "s": "Shop"},
            [("u", "s")],
        ),
        ("mindmap\n root\n  a", {}, []),
    ],
)
def test_what_a_mermaid_text_connects(text: str, nodes: dict[str, str] | None, edges: list[tuple[str, str]]) -> None:
    drawn = parser().read(text)
    assert isinstance(drawn, Drawing)
    assert sorted(drawn.edges) == sorted(edges)
    assert nodes is None or drawn.nodes == nodes


def test_every_kind_of_plantuml_line_we_know() -> None:
    text = """@startuml
    ' a comment
    /' a longer
       comment '/
    title The architecture
    left to right direction
    skinparam componentStyle rectangle
    skinparam component {
      BackgroundColor White
    }
    !theme plain
    actor "Customer" as c
    cloud "AWS" {
      component [API Gateway] as api
      queue "SQS" <<fifo>> as q #lightblue
      node "Cluster" as n {
        [Worker]
      }
      database db [
        DynamoDB
        orders
      ]
    }
    c -> api : HTTPS
    api --> q
    q <-- Worker : polls
    Worker -right-> db : "writes: orders"
    Worker -[#red,dashed]-> "Dead letters"
    note right of api : checks the token
    note left of q
      !include is only text here
    end note
    @enduml"""
    drawn = read_plantuml(text)
    edges = {("c", "api"), ("api", "q"), ("Worker", "q"), ("Worker", "db"), ("Worker", "Dead letters")}
    assert set(drawn.edges) == edges
    assert drawn.nodes["q"] == "SQS"
    assert drawn.nodes["api"] == "API Gateway"


@pytest.mark.parametrize(
    "includes",
    [
        "!include <awslib/AWSCommon>\n!include <awslib/Compute/Lambda>",
        "!include <awslib14/AWSCommon>\n!include <awslib14/all>",
        "!define AWSPuml https://raw.githubusercontent.com/awslabs/aws-icons-for-plantuml/v18.0/dist\n"
        "!include AWSPuml/AWSCommon.puml",
        "!include https://raw.githubusercontent.com/awslabs/aws-icons-for-plantuml/v18.0/dist/AWSCommon.puml\n"
        "!includeurl https://raw.githubusercontent.com/awslabs/aws-icons-for-plantuml/v18.0/dist/Compute/Lambda.puml",
        "!include_once <awslib/AWSCommon>\n!include_many <awslib/Compute/Lambda>",
    ],
)
def test_plantuml_with_the_icons_that_models_use(includes: str) -> None:
    body = (
        'LAYOUT_LEFT_TO_RIGHT\nactor User as user\nAWSCloudGroup(cloud, "AWS") {\n  VPCGroup(vpc) {\n'
        '    APIGateway(api, "Front door", "REST")\n    Lambda(fn, "Worker", "Python", "does the work")\n  }\n}\n'
        'SQS(q, "Jobs", "")\nuser --> api : calls\nRel(api, q, "puts")\nRel_D(q, fn, "feeds")'
    )
    drawn = read_plantuml(f"@startuml\n{includes}\n{body}\n@enduml")
    assert set(drawn.edges) == {("user", "api"), ("api", "q"), ("q", "fn")}
    assert drawn.nodes["fn"] == "Worker (Lambda)" and drawn.nodes["api"].startswith("Front door (APIGateway")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("!include <awslib/../../etc/passwd>\n!include <other/x>", "preprocessor"),
        ("!include <C4/C4_Container>", "preprocessor"),
        ('Lambda(fn, "Worker", "")', "not understood"),
        ("!include <awslib/AWSCommon>\nLambda()", "not understood"),
        ("!includeurl http://example.com/x", "preprocessor"),
        ("!import x", "preprocessor"),
        ("!define X y", "preprocessor"),
        ("!theme x from http://example.com", "preprocessor"),
        ("this is prose", "line 2: not understood"),
        ("[A] --> ", "not understood"),
        ("--> [B]", "not understood"),
        ('package "x" {\n[A] --> [B]', "1 opening brace"),
        ("}", "closing brace"),
        ("note left of a\nnever closed", "end note"),
        ("@startuml", "exactly one"),
        ("<script>", "not understood"),
        ("a" * 2_000, "longer than"),
    ],
)
def test_plantuml_that_is_refused(body: str, reason: str) -> None:
    with pytest.raises(DiagramError, match=reason):
        read_plantuml(f"@startuml\n{body}\n[X] --> [Y]\n@enduml")


def change(**changes: Any) -> str:
    return json.dumps({**OBJECT, **changes})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON: .* line 1 column 2"),
        ("{'a': 1}", "not JSON"),
        ('{"components": NaN}', "NaN"),
        ('{"components": [], "components": []}', "duplicate key 'components'"),
        (change(components=OBJECT["components"][:1]), "components: "),
        (change(connections=[]), "connections: "),
        (
            change(components=[{"id": "a", "service": "S3"}, *OBJECT["components"]]),
            'components/0: "role" is a required',
        ),
        (change(components=[*OBJECT["components"], OBJECT["components"][0]]), "duplicate id 'a'"),
        (change(connections=[{"from": "a", "to": "z", "label": ""}]), "names 'z', which is not a component"),
        (change(connections=[{"from": "a", "to": "b"}]), 'connections/0: "label" is a required'),
        ('{"components": ' + "[" * 100_000, "nested too deeply|not JSON"),
    ],
)
def test_json_that_is_refused(text: str, reason: str) -> None:
    with pytest.raises(DiagramError, match=reason):
        read_json(text)


def test_extra_fields_and_numeric_ids_are_welcome() -> None:
    components = [{"id": 1, "service": "S3", "role": "x", "zone": "a"}, {"id": 2, "service": "SQS", "role": "y"}]
    drawn = read_json(json.dumps({"components": components, "connections": [{"from": 1, "to": 2, "label": "z"}]}))
    assert drawn.edges == (("1", "2"),)


@pytest.mark.parametrize(
    ("answer", "prose", "blocks"),
    [
        ("plain", "plain", 0),
        ("```\nplain words\n```", "plain words", 0),  # an untagged fence of words is prose
        ("```markdown\n# Title\n```", "# Title", 0),
        ("```python\nprint(1)\n```", "", 1),
        ("````mermaid\n```\ngraph TD\n````", "", 1),  # a longer fence holds a shorter one
        ("a ``` b", "a ``` b", 0),
    ],
)
def test_prose_and_blocks(answer: str, prose: str, blocks: int) -> None:
    found = parts(answer)
    assert found.prose.strip() == prose
    assert len(found.blocks) == blocks


def test_comments_that_are_never_closed_take_no_time() -> None:
    beginnings = "/' " * 16_000  # half a minute, once
    with pytest.raises(DiagramError, match="not understood"):
        read_plantuml(f"@startuml\n/' read '/\na --> b\nb {beginnings[:900]}\n{beginnings}\n@enduml")
    with pytest.raises(DiagramError, match="line 2: longer"):
        read_plantuml(f"@startuml\n{beginnings}\n@enduml")
