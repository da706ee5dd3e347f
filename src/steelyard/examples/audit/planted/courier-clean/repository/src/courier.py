"""Parcels: labels, routes, retries and the day's report."""

import csv
import json
import re
import subprocess
import time
from pathlib import Path

CODE = re.compile(r"[A-Z]{2}-\d{4}")
GRAMS = 1000
LIMIT_KG = 30


class Refused(Exception):
    """The depot does not take the parcel."""


def read_parcels(path):
    """The parcels of a CSV file; lines that cannot be read are counted, not hidden."""
    parcels, bad = [], 0
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            try:
                parcels.append(parcel(row["code"], float(row["kg"]), row.get("zone") or "A"))
            except (KeyError, ValueError):
                bad += 1
    return parcels, bad


def parcel(code, kg, zone="A", fragile=False):
    code = code.strip().upper()
    if not CODE.fullmatch(code):
        raise ValueError(f"not a code: {code}")
    if kg <= 0 or kg > LIMIT_KG:
        raise ValueError(f"0 to {LIMIT_KG} kg")
    return {"code": code, "grams": round(kg * GRAMS), "zone": zone, "fragile": fragile}


def load(parcels, capacity_kg):
    """Parcels in vans, the heaviest first; fragile ones never under others."""
    vans = []
    for one in sorted(parcels, key=lambda found: (-found["grams"], found["code"])):
        for van in vans:
            if sum(found["grams"] for found in van) + one["grams"] <= capacity_kg * GRAMS and not van[-1]["fragile"]:
                van.append(one)
                break
        else:
            vans.append([one])
    return vans


def route(stops, start=(0, 0)):
    """The stops, each the nearest one left."""
    left, here, found = list(stops), start, []
    while left:
        nearest = min(left, key=lambda stop: (abs(stop[0] - here[0]) + abs(stop[1] - here[1]), stop))
        left.remove(nearest)
        found.append(nearest)
        here = nearest
    return found


def deliver(send, code, tries=3, wait_s=0.1, sleep=time.sleep):
    """Send until it works; a refusal is final."""
    for number in range(1, tries + 1):
        try:
            return send(code)
        except Refused:
            raise
        except OSError:
            if number == tries:
                raise
            sleep(wait_s * 2 ** (number - 1))
    raise ValueError("at least one try")


def label(one, printer="cat"):
    """What the printer prints for a parcel."""
    text = f"{one['code']} {one['grams'] / GRAMS:.1f} kg zone {one['zone']}"
    if one["fragile"]:
        text += " FRAGILE"
    done = subprocess.run([printer], input=text, capture_output=True, text=True, timeout=10, check=True)
    return done.stdout


class Depot:
    """What is in the house, and what has left it; every change is written at once."""

    def __init__(self, path):
        self.path = Path(path)
        self.log = open(self.path.with_suffix(".log"), "a", encoding="utf-8")
        self.inside = json.loads(self.path.read_text("utf-8")) if self.path.exists() else {}

    def take(self, one):
        if one["code"] in self.inside:
            raise Refused(f"{one['code']} is here already")
        self.inside[one["code"]] = one["grams"]
        self._keep(f"in {one['code']}")

    def hand_out(self, code, name):
        if code not in self.inside:
            raise KeyError(code)
        if not name:
            raise ValueError("to whom?")
        grams = self.inside.pop(code)
        self._keep(f"out {code} {name}")
        return grams

    def weight_kg(self):
        return sum(self.inside.values()) / GRAMS

    def _keep(self, line):
        self.path.write_text(json.dumps(self.inside), "utf-8")
        self.log.write(line + "\n")
        self.log.flush()

    def close(self):
        self.log.close()


def report(days):
    """Mean parcels a day, the best day, and whether each day had at least one."""
    if not days:
        return {"mean": 0.0, "best": None, "steady": False}
    best = max(days, key=lambda day: days[day])
    return {"mean": sum(days.values()) / len(days), "best": best, "steady": all(days.values())}
