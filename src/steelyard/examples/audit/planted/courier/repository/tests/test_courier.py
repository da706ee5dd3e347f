import json

import pytest

from courier import Depot, Refused, deliver, label, load, parcel, read_parcels, report, route




def test_a_file_without_weights_has_only_bad_lines(tmp_path):
    path = tmp_path / "parcels.csv"
    path.write_text("code\nAB-1234\n")
    assert read_parcels(path) == ([], 1)


@pytest.mark.parametrize("code", ["AB1234", "AB-12345", "A-1234", ""])
def test_codes_have_a_form(code):
    with pytest.raises(ValueError):
        parcel(code, 1)




def test_a_parcel_is_weighed_in_grams():
    assert parcel(" ab-1234 ", 30) == {"code": "AB-1234", "grams": 30_000, "zone": "A", "fragile": False}


def test_vans_are_filled_up():
    parcels = [parcel(f"AA-000{number}", kg) for number, kg in enumerate((4, 6, 5, 5))]
    vans = load(parcels, 10)
    assert [[one["grams"] for one in van] for van in vans] == [[6000, 4000], [5000, 5000]]






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






