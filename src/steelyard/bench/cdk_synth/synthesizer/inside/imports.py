# Plain calls on purpose: this code is forked and loads nothing it does not need.
"""Notices when an app first imports the library: stock Node starts at that moment, with the environment of that moment.

The packages are loaded long before the app. They are taken out of `sys.modules`, and the first import of one of them
puts all of them back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

ROOTS = ("aws_cdk", "constructs", "jsii")
"""Packages whose import starts Node."""


class Withheld:
    """A finder for modules that are loaded and not yet imported."""

    def __init__(self, on_import: Callable[[], object]) -> None:
        self._on_import, self._imported = on_import, False
        names = [name for name in sys.modules if name.partition(".")[0] in ROOTS]
        self._modules = {name: sys.modules.pop(name) for name in names}
        self._specs = {name: getattr(module, "__spec__", None) for name, module in self._modules.items()}
        # In front of the finder of files: an `aws_cdk` in the app's own folder does not replace the library.
        sys.meta_path.insert(0, self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module that is loaded; the import system puts this one back itself."""
        module = self._modules.get(name)
        if module is None:
            return None
        # Not the module's own: jsii replaces modules by their public part, which has none.
        spec = ModuleSpec(name, self, origin=getattr(module, "__file__", None))  # type: ignore[arg-type]
        spec.submodule_search_locations = getattr(module, "__path__", None)
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The loaded module."""
        return self._modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to run; with the first module all others are back too."""
        module.__spec__ = self._specs[module.__name__]
        if not self._imported:
            self._imported = True
            sys.modules.update(self._modules)
            self._on_import()
