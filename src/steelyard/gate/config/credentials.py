"""Secrets in a line of a configuration, by their shape and by the name before them. Pure.

What only refers to a secret is none: `$NAME`, `${NAME}`, `<your key>`, `{{ key }}`, `%s`, `***`. Nor are the keys that
AWS prints in its documentation. Text in base64 is read, too.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from urllib.parse import unquote

from steelyard.secrets import API_KEY, AWS_KEY

_MADE_UP = r"(?!(?:sk-)?(?:ant-|proj-)?(?:your|my|the|some|example|changeme|placeholder|x{4}|redacted)[\W_]?)"
_LITERAL = rf"[\"']?(?![\"'$<{{%*.\[]){_MADE_UP}"
"""The beginning of a value that is not a reference."""
_NAME = (
    r"(?:api|access|account|auth|secret|private|subscription|master|encryption)[_-]?key|secret|token|passw(?:or)?d"
    r"|passphrase|credential"
)
_PASSWORD = (
    r"passw(?:or)?[dt]|passphrase|pwd|(?<![a-z])pass|kennwort|contraseña|mot de passe|senha|wachtwoord|пароль|密码"
)
_TO = r"[\"']?\s*(?:[:=]|=>|(?<=[\w\"'])>)\s*b?"
_IS = r"[\"'`]?,?\s(?:(?:is|are|ist|lautet|es|est|follows)\b\W{0,3})?"
"""Between a name and its value in a sentence."""
_BY_HAND = r"(?!(?:aes|argon|base|ecdsa|md|oauth|pbkdf|rsa|sha|utf|v)-?\d)"
"""Names of methods that have a figure, as secrets have."""
_MIXED = r"(?=[^\W_]{0,80}[a-z])(?=[^\W_]{0,80}[A-Z])(?=[^\W_]{0,80}\d)"
_SHAPES = {
    "an API key": API_KEY,
    "an AWS access key": AWS_KEY,
    "a private key": re.compile(
        r"-----BEGIN (?:[A-Z ]+ )?PRIVATE KEY(?: BLOCK)?-----|\bPuTTY-User-Key-File|\bAGE-SECRET-KEY-1"
    ),
    "something that looks like an API key": re.compile(
        rf"(?<![\w/+.-])(?!sha\d|md5)[a-z][a-z0-9]{{1,9}}(?:[_-][a-z0-9]{{1,8}}){{0,2}}(?:[_-]{_MIXED}[A-Za-z0-9]{{20,}}|_[0-9a-f]{{32,}})"
    ),
    "a password in an address": re.compile(
        r"\b[a-z][\w+.-]{1,20}://(?:[^/\s:@\"'`]{0,80}:(?![$<{%*\[]|[A-Z_]{1,40}@|(?:guest|pass|password|postgres|root|secret|test|user)@)[^/\s@\"'`]{1,200}|(?=[^@]{0,200}\d)[A-Za-z0-9_-]{20,200})@"
    ),
    "an address with a key in it": re.compile(
        r"(?i)[?&;][\w-]{0,30}(?:key|token|sig|signature|password|secret)="
        r"(?![\"'$<{%*.\[])(?!your|example|x{4})[^\s&\"'`;]{8,}"
    ),
    "the address of a webhook": re.compile(
        r"https://(?:[\w.-]*hook[\w.-]*/|[\w./-]{1,80}/(?:web)?hooks?/|[\w./-]{1,80}/key/)(?=[\w/@-]{0,200}\d)(?=[\w/@-]{0,200}[A-Z])[\w/@-]{16,}"
    ),
    "a header with a credential": re.compile(
        rf"(?i)(?:authorization|cookie|x-[\w-]{{0,30}}(?:key|token|auth|secret)|api-key){_TO}"
        r"[\"']?(?:(?:bearer|basic|token|bot|[\w.-]+=)\s*)?(?![\"'$<{%*.\[])(?=[^\s\"']{0,200}\d)[A-Za-z0-9+/_.=~-]{16,}+(?!\()"
    ),
    "a value that looks like a secret": re.compile(
        r"(?i)(?:api_?key|secret|token|passwd|password)[\"']?\s*[:=]\s*[\"']?(?![\"'$<{%*.]|[\w-]{0,12}(?:x{6}|your[_-]))[A-Za-z0-9+/_-]{16,}+(?!\()"
        rf"|(?:{_NAME})(?:_[\w-]{{1,12}}|\d+)?{_TO}{_LITERAL}(?=[A-Za-z0-9+/_-]{{0,200}}\d)[A-Za-z0-9+/_-]{{16,}}"
        rf"|(?:openai|azure|anthropic|gemini|cohere|mistral)[\w-]{{0,20}}_key(?:_?\d)?{_TO}{_LITERAL}[A-Za-z0-9+/_-]{{16,}}"
        rf"|(?<!public)_key{_TO}{_LITERAL}(?=\S{{0,80}}[a-z])(?=\S{{0,80}}[A-Z])(?=\S{{0,80}}\d)[A-Za-z0-9+/_-]{{32,}}+(?![.(])"
        r"|[\"']auth[\"']\s*:\s*[\"'][A-Za-z0-9+/]{12,}={0,2}[\"']|\b_auth\s*=\s*[A-Za-z0-9+/]{12,}"
        rf"|_PAT{_TO}{_LITERAL}[A-Za-z0-9]{{20,}}"
        rf"|--[\w-]{{0,30}}(?:key|token|password|secret)[\"']?[\s,=]+{_LITERAL}(?=[\w+/-]{{0,200}}\d)[A-Za-z0-9+/_-]{{12,}}"
    ),
    "a password": re.compile(
        rf"(?i)(?:{_PASSWORD})(?:_\d+|\d+)?{_TO}{_LITERAL}(?=[^\s\"'`]{{0,200}}\d)(?=[^\s\"'`]{{0,200}}[a-z])[^\s\"'`,;(]{{6,}}+(?!\()"
        rf"|(?:{_PASSWORD}){_TO}[\"'](?![$<{{%*]){_MADE_UP}(?=[^\"']{{0,200}}\d)[^\"'\s]{{6,}}[\"']"
        r"|passphrase[\"']?\s*[:=]\s*[\"']?(?:[a-z]+ ){3,}[a-z]+"
        rf"|\blogin \S+ password {_LITERAL}\S{{6,}}"
        rf"|\b(?:curl|wget)\b.{{0,200}}\s(?:-u|--user)[ =]+{_LITERAL}[^\s:]+:{_LITERAL}[^\s\"']{{4,}}"
        r"|\bmysql(?:dump|admin)?\b.{0,100}\s-p(?=\S{0,80}\d)(?=\S{0,80}[A-Za-z])[^\s$<{%*]{6,}"
        rf"|\blogin\b.{{0,80}}\s(?:-p|--password)[ =]+{_LITERAL}\S{{4,}}"
        rf"|\bsshpass\s+-p\s*{_LITERAL}\S{{4,}}"
    ),
    "a secret in a sentence": re.compile(
        rf"(?i)\b(?:{_PASSWORD}){_IS}{_LITERAL}{_BY_HAND}(?=[^\s\"'`]{{0,200}}\d)(?=[^\s\"'`]{{0,200}}[a-z])[^\s\"'`,;()/]{{8,}}"
        rf"|\b(?:api[ _-]key|access[ _-]key|[a-z_]*_key|secret|[a-z_]*token|geniekey){_IS}{_LITERAL}{_BY_HAND}"
        r"(?=[\w+/=-]{0,200}\d)(?=[\w+/=-]{0,200}[a-z])[\w+/=-]{20,}(?![\w.(])"
    ),
    "the hash of a password": re.compile(r"\$(?:apr1|[156y]|2[abxy]|argon2id?)\$[^\s:]{20,}"),
    "a line of a password file": re.compile(r"^[^\s:]+:\d{4,5}:[^\s:]+:[^\s:]+:[^\s:$<{]{6,}$"),
    "a private key in JSON": re.compile(r"[\"'](?:k|d)[\"']\s*:\s*[\"'][\w-]{40,}[\"']"),
    "the token of a bot": re.compile(r"\b\d{8,10}:AA[\w-]{33}\b"),
}
_CERTAIN = ("an API key", "an AWS access key", "a private key")
_EXAMPLES = re.compile(r"\bA[KS]IA[0-9A-Z]{9}EXAMPLE\b|\bwJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\b")
_BASE64 = re.compile(r"(?<![\w+/-])[A-Za-z0-9+/_-]{24,}={0,2}")
_NAMED_VALUE = re.compile(
    r"(\b(?:name|key)[\"']?\s*[:=]\s*[\"']?)([\w.-]{1,80})([\"']?\s*,?\s*[\"']?)value(?=[\"']?\s*[:=])", re.IGNORECASE
)


def with_names(text: str) -> str:
    """A text in which `name: X` and then `value: Y` is `name: X` and then `X: Y`, on the same lines."""
    return _NAMED_VALUE.sub(r"\1\2\3\2", text)


def secrets_in(line: str) -> Iterator[str]:
    """What a line contains, in words that do not repeat it."""
    line = _EXAMPLES.sub("EXAMPLE", line)
    inner = "\n".join(_decoded(line))
    yield from (what for what, shape in _SHAPES.items() if shape.search(line) or (inner and shape.search(inner)))


def certain_secrets_in(text: str) -> Iterator[str]:
    """The same for names and bytes, where only shapes count that other bytes do not have by chance."""
    yield from (what for what in _CERTAIN if _SHAPES[what].search(text))


def _decoded(line: str) -> Iterator[str]:
    """What is written in a line in another form: JSON in a string, an address in an address, base64."""
    if "\\" in line:
        yield re.sub(r"\\+[nrt]?", "", line)
    if "%" in line:
        yield unquote(line)
    for blob in _BASE64.findall(line):
        letters = blob.rstrip("=").replace("-", "+").replace("_", "/")
        try:
            yield base64.b64decode(letters + "=" * (-len(letters) % 4)).decode("ascii")
        except (binascii.Error, ValueError):
            continue
