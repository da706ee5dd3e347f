import threading
from datetime import date, datetime

import pytest

from rooms import Rooms, Taken, price, summary

NINE = datetime(2024, 5, 6, 9)


@pytest.fixture
def rooms():
    found = Rooms()
    yield found
    found.close()


def test_a_booking_has_a_number(rooms):
    assert rooms.book("small", "ann", NINE) == 1
    assert rooms.book("small", "ann", NINE.replace(hour=10)) == 2


def test_unknown_rooms_are_refused(rooms):
    with pytest.raises(KeyError):
        rooms.book("attic", "ann", NINE)


@pytest.mark.parametrize("who", ["", "  "])
def test_a_booking_needs_a_name(rooms, who):
    with pytest.raises(ValueError):
        rooms.book("small", who, NINE)


@pytest.mark.parametrize("hours", [0, -1, 5])
def test_hours_have_a_limit(rooms, hours):
    with pytest.raises(ValueError):
        rooms.book("small", "ann", NINE, hours)


def test_four_hours_are_allowed(rooms):
    assert rooms.book("small", "ann", NINE, 4) == 1


@pytest.mark.parametrize("hour, hours", [(7, 1), (20, 1), (18, 3)])
def test_the_house_is_closed(rooms, hour, hours):
    with pytest.raises(ValueError):
        rooms.book("small", "ann", NINE.replace(hour=hour), hours)


def test_the_last_hour_can_be_booked(rooms):
    assert rooms.book("small", "ann", NINE.replace(hour=19)) == 1


@pytest.mark.parametrize("hour, hours", [(9, 1), (10, 1), (8, 2), (8, 4)])
def test_a_taken_room_is_refused(rooms, hour, hours):
    rooms.book("small", "ann", NINE, 2)
    with pytest.raises(Taken):
        rooms.book("small", "bob", NINE.replace(hour=hour), hours)


def test_neighbours_do_not_clash(rooms):
    rooms.book("small", "ann", NINE, 2)
    rooms.book("small", "bob", NINE.replace(hour=11))
    rooms.book("small", "bob", NINE.replace(hour=8))
    rooms.book("large", "bob", NINE)


def test_names_are_kept_without_spaces(rooms):
    rooms.book("small", " ann ", NINE)
    assert rooms.page("small") == "<ul><li>2024-05-06T09:00 ann</li></ul>"


def test_the_room_is_locked_while_it_is_booked(rooms):
    seen = []
    free = rooms.is_free
    rooms.is_free = lambda *given: seen.append(rooms.lock.locked()) or free(*given)
    threads = [threading.Thread(target=rooms.book, args=("small", "ann", NINE.replace(hour=h))) for h in (9, 10)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert seen == [True, True]


def test_a_cancelled_room_is_free(rooms):
    number = rooms.book("small", "ann", NINE)
    rooms.cancel(number, "ann")
    assert rooms.is_free("small", NINE)


def test_only_ones_own_booking_is_cancelled(rooms):
    number = rooms.book("small", "ann", NINE)
    with pytest.raises(PermissionError):
        rooms.cancel(number, "bob")
    with pytest.raises(KeyError):
        rooms.cancel(99, "ann")


def test_bookings_are_kept(tmp_path):
    path = str(tmp_path / "rooms.db")
    first = Rooms(path)
    number = first.book("small", "ann", NINE)
    other = Rooms(path)
    assert not other.is_free("small", NINE)
    first.cancel(number, "ann")
    assert other.is_free("small", NINE)
    first.close()
    other.close()


def test_the_next_free_time(rooms):
    rooms.book("small", "ann", NINE, 2)
    assert rooms.next_free("small", NINE) == NINE.replace(hour=11)
    assert rooms.next_free("small", NINE, 1, days=0) is None


def test_the_next_free_time_is_in_opening_hours(rooms):
    assert rooms.next_free("small", NINE.replace(hour=19), 2) == datetime(2024, 5, 7, 8)
    assert rooms.next_free("small", NINE.replace(hour=18), 2) == NINE.replace(hour=18)


def test_usage_is_a_share_of_the_day(rooms):
    rooms.book("small", "ann", NINE, 3)
    rooms.book("small", "ann", NINE.replace(day=7), 4)
    assert rooms.usage("small", date(2024, 5, 6)) == pytest.approx(0.25)
    assert rooms.usage("large", date(2024, 5, 6)) == 0


def test_names_are_escaped_on_the_page(rooms):
    rooms.book("small", "<b>", NINE)
    assert "&lt;b&gt;" in rooms.page("small")
    assert rooms.page("large") == "<p>free</p>"


@pytest.mark.parametrize(
    "hours, member, cents", [(1, False, 1200), (2, False, 2400), (3, False, 3240), (4, True, 2160), (1, True, 600)]
)
def test_price(hours, member, cents):
    assert price(hours, member) == cents


def test_price_has_a_floor():
    assert price(1, True, 100) == 100


def test_the_busiest_come_first():
    assert summary([("Ann", 1), ("bob", 2), (" ann", 2), ("cy", 2)]) == [("ann", 3), ("bob", 2), ("cy", 2)]
