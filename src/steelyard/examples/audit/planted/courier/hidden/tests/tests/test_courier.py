import json

import pytest

from courier import Depot, Refused, deliver, label, load, parcel, read_parcels, report, route


def test_parcels_are_read_and_bad_lines_counted(tmp_path):
    path = tmp_path / "parcels.csv"
    path.write_text("code,kg,zone\nab-1234,1.5,B\nAB-1,1,A\nCD-0001,x,A\nCD-0002,2,\n")
    parcels, bad = read_parcels(path)
    assert [one["code"] for one in parcels] == ["AB-1234", "CD-0002"]
    assert [one["zone"] for one in parcels] == ["B", "A"]
    assert bad == 2


def test_a_file_without_weights_has_only_bad_lines(tmp_path):
    path = tmp_path / "parcels.csv"
    path.write_text("code\nAB-1234\n")
    assert read_parcels(path) == ([], 1)


@pytest.mark.parametrize("code", ["AB1234", "AB-12345", "A-1234", ""])
def test_codes_have_a_form(code):
    with pytest.raises(ValueError):
        parcel(code, 1)


@pytest.mark.parametrize("kg", [0, -1, 30.1])
def test_weights_have_a_limit(kg):
    with pytest.raises(ValueError):
        parcel("AB-1234", kg)


def test_a_parcel_is_weighed_in_grams():
    assert parcel(" ab-1234 ", 30) == {"code": "AB-1234", "grams": 30_000, "zone": "A", "fragile": False}


def test_vans_are_filled_up():
    parcels = [parcel(f"AA-000{number}", kg) for number, kg in enumerate((4, 6, 5, 5))]
    vans = load(parcels, 10)
    assert [[one["grams"] for one in van] for van in vans] == [[6000, 4000], [5000, 5000]]


def test_nothing_lies_on_what_is_fragile():
    vans = load([parcel("AA-0001", 5, fragile=True), parcel("AA-0002", 1)], 10)
    assert len(vans) == 2


def test_the_nearest_stop_is_next():
    assert route([(5, 5), (1, 0), (1, 1)]) == [(1, 0), (1, 1), (5, 5)]
    assert route([(0, 3), (2, 0)], start=(0, 4)) == [(0, 3), (2, 0)]


class Line:
    def __init__(self, *errors):
        self.errors = list(errors)
        self.waits = []

    def send(self, code):
        if self.errors:
            raise self.errors.pop(0)
        return f"sent {code}"

    def deliver(self, **options):
        return deliver(self.send, "AB-1234", sleep=self.waits.append, **options)


def test_what_fails_is_tried_again():
    line = Line(OSError(), OSError())
    assert line.deliver() == "sent AB-1234"
    assert line.waits == pytest.approx([0.1, 0.2])


def test_the_last_failure_is_told():
    with pytest.raises(OSError):
        Line(*[OSError()] * 3).deliver()


def test_a_refusal_is_final():
    line = Line(Refused("full"))
    with pytest.raises(Refused):
        line.deliver()
    assert line.waits == []


def test_at_least_one_try():
    with pytest.raises(ValueError):
        Line().deliver(tries=0)


def test_labels_are_printed():
    assert label(parcel("AB-1234", 1.5, "C")) == "AB-1234 1.5 kg zone C"
    assert label(parcel("AB-1234", 1.5, "C", True)).endswith(" FRAGILE")


@pytest.fixture
def depot(tmp_path):
    found = Depot(tmp_path / "depot.json")
    yield found
    found.close()


def test_a_parcel_comes_once(depot):
    depot.take(parcel("AB-1234", 2))
    with pytest.raises(Refused):
        depot.take(parcel("AB-1234", 2))
    assert depot.weight_kg() == 2


def test_parcels_are_handed_out(depot):
    depot.take(parcel("AB-1234", 2))
    assert depot.hand_out("AB-1234", "ann") == 2000
    assert depot.weight_kg() == 0
    with pytest.raises(KeyError):
        depot.hand_out("AB-1234", "ann")


def test_somebody_must_take_it(depot):
    depot.take(parcel("AB-1234", 2))
    with pytest.raises(ValueError):
        depot.hand_out("AB-1234", "")
    assert depot.weight_kg() == 2


def test_every_change_is_written_at_once(depot):
    depot.take(parcel("AB-1234", 2))
    assert json.loads(depot.path.read_text()) == {"AB-1234": 2000}
    depot.hand_out("AB-1234", "ann")
    assert depot.path.with_suffix(".log").read_text() == "in AB-1234\nout AB-1234 ann\n"


def test_a_depot_remembers(tmp_path):
    first = Depot(tmp_path / "d.json")
    first.take(parcel("AB-1234", 2))
    first.close()
    assert first.log.closed
    second = Depot(tmp_path / "d.json")
    assert second.weight_kg() == 2
    second.close()


def test_the_report_of_some_days():
    assert report({"mon": 2, "tue": 4}) == {"mean": 3.0, "best": "tue", "steady": True}
    assert report({"mon": 2, "tue": 0})["steady"] is False
    assert report({}) == {"mean": 0.0, "best": None, "steady": False}
