"""Rooms that are booked by the hour, kept in SQLite."""

import html
import sqlite3
import threading
from datetime import datetime, timedelta

OPENS, CLOSES = 8, 20
SCHEMA = "CREATE TABLE IF NOT EXISTS bookings (id INTEGER PRIMARY KEY, room TEXT, who TEXT, start TEXT, hours INTEGER)"


class Taken(Exception):
    """Somebody else has the room at that time."""


class Rooms:
    def __init__(self, path=":memory:", rooms=("small", "large"), most_hours=4):
        self.rooms = set(rooms)
        self.most_hours = most_hours
        self.lock = threading.Lock()
        self.base = sqlite3.connect(path, check_same_thread=False)
        self.base.execute(SCHEMA)

    def book(self, room, who, start, hours=1):
        """Book a room; the number of the booking."""
        if room not in self.rooms:
            raise KeyError(room)
        if not who.strip():
            raise ValueError("a booking needs a name")
        if hours < 1 or hours > self.most_hours:
            raise ValueError(f"1 to {self.most_hours} hours")
        if start.hour < OPENS or start.hour + hours > CLOSES:
            raise ValueError("the house is closed then")
        with self.lock:
            if not self.is_free(room, start, hours):
                raise Taken(room)
            row = (room, who.strip(), start.isoformat(), hours)
            done = self.base.execute("INSERT INTO bookings (room, who, start, hours) VALUES (?, ?, ?, ?)", row)
            self.base.commit()
            return done.lastrowid

    def is_free(self, room, start, hours=1):
        end = start + timedelta(hours=hours)
        return all(end <= begin or start >= until for begin, until in self.taken(room))

    def taken(self, room):
        rows = self.base.execute("SELECT start, hours FROM bookings WHERE room = ? ORDER BY start", (room,))
        times = [(datetime.fromisoformat(start), hours) for start, hours in rows]
        return [(start, start + timedelta(hours=hours)) for start, hours in times]

    def cancel(self, number, who):
        """Cancel one's own booking."""
        row = self.base.execute("SELECT who FROM bookings WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise KeyError(number)
        if row[0] != who:
            raise PermissionError(who)
        self.base.execute("DELETE FROM bookings WHERE id = ?", (number,))
        self.base.commit()

    def next_free(self, room, start, hours=1, days=7):
        """The next time that the room is free for so long; None if there is none in so many days."""
        last = start + timedelta(days=days)
        while start < last:
            if OPENS <= start.hour and start.hour + hours <= CLOSES and self.is_free(room, start, hours):
                return start
            start += timedelta(hours=1)
        return None

    def usage(self, room, day):
        """Share of the opening hours of a day that is booked."""
        booked = [end - begin for begin, end in self.taken(room) if begin.date() == day]
        seconds = sum(time.total_seconds() for time in booked)
        return seconds / 3600 / (CLOSES - OPENS)

    def page(self, room):
        """The bookings of a room as a list in HTML."""
        rows = self.base.execute("SELECT start, who FROM bookings WHERE room = ? ORDER BY start", (room,))
        items = [f"<li>{start[:16]} {html.escape(who)}</li>" for start, who in rows]
        return "<ul>" + "".join(items) + "</ul>" if items else "<p>free</p>"

    def close(self):
        self.base.close()


def price(hours, member=False, rate=1200):
    """In cents: a tenth less from three hours on, and half for members, never below one euro."""
    total = hours * rate
    if hours >= 3:
        total = total * 9 // 10
    if member:
        total //= 2
    return max(total, 100)


def summary(bookings):
    """Hours by person, the busiest first; names that differ only in case are one person."""
    hours = {}
    for who, count in bookings:
        name = who.strip().lower()
        hours[name] = hours.get(name, 0) + count
    return sorted(hours.items(), key=lambda item: (-item[1], item[0]))
