"""Problems planted into real code, each proved by a test that fails with it and passes without it.

planting what is to be planted, and what came of it
mutate   where problems can be planted (LibCST)
screen   which of them tests prove, and a reader could miss
compose  which share a document
write    documents, keys, proofs and a clean control, as a suite
reprove  the proof, again
past     real bugs that the history fixed, instead of planted ones
"""

from __future__ import annotations

from steelyard.audit.plant.planting import Planting, PlantSpec, Tell


def plant(spec: PlantSpec, tell: Tell = lambda what, done, wanted: None) -> Planting:
    """Write a suite of documents with proved problems."""
    from steelyard.audit.plant import past, present
    from steelyard.proof.search import must_be_repository
    from steelyard.sandbox.jail import bubblewrap
    from steelyard.toolchain import require

    require("repository", "libcst")
    must_be_repository(spec.repo)
    bubblewrap()  # without it every edit would be dropped, one by one
    if spec.from_history:
        return past.plant_past(spec, tell)
    return present.plant_changes(spec, tell) if spec.form == "diff" else present.plant_repository(spec, tell)
