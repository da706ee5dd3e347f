"""`KEY=VALUE` options, as Inspect takes them."""

from __future__ import annotations

from typing import Any

import click

from steelyard.errors import refuse_secret


class KeyValues(click.ParamType[Any]):
    """`KEY=VALUE`; the value is read as YAML, so 5 is a number and true is a boolean."""

    name = "KEY=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        key, mark, text = str(value).partition("=")
        if not mark or not key:
            self.fail(f"{value!r} is not KEY=VALUE", param, ctx)
        from steelyard.yamlfile import parse_argument  # 0.1 s: only when there is such an option

        refuse_secret(key, text)  # before parsing: its errors repeat the text
        argument = parse_argument(text)
        refuse_secret(key, argument)
        return key.replace("-", "_"), argument
