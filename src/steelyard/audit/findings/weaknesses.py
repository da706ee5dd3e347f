"""What the weakness numbers of scanners (CWE) are about, in the words that reviewers use for them."""

from __future__ import annotations

import re

_CWE = re.compile(r"CWE-?\s?(\d{1,5})", re.IGNORECASE)

WEAKNESSES = {
    "input validation": (20,),
    "path traversal, file names": (22, 23, 36, 73),
    "OS command injection, shell": (77, 78),
    "cross-site scripting, XSS, output escaping": (79, 80),
    "SQL injection": (89, 564),
    "code injection, eval, dynamic code": (94, 95, 96, 470),
    "buffer overflow": (119, 120, 121, 122, 125, 787),
    "format string": (134,),
    "integer overflow": (190, 191),
    "information exposure": (200, 201, 209, 532, 538, 548),
    "hard-coded password, credentials, secret": (259, 321, 798, 547),
    "authentication": (287, 288, 306, 307, 521, 522),
    "authorization, access control, permissions": (269, 276, 284, 285, 732, 862, 863, 639),
    "certificate validation, TLS, SSL": (295, 296, 297, 319),
    "weak cryptography, hash, encryption": (326, 327, 328, 311, 312, 759, 760, 916),
    "predictable random numbers, randomness": (330, 331, 335, 338, 340),
    "cross-site request forgery, CSRF": (352,),
    "race condition, concurrency": (362, 366, 367),
    "temporary file": (377, 378, 379),
    "resource exhaustion, timeout, denial of service": (400, 770, 1333, 834, 835),
    "unrestricted file upload": (434,),
    "debug mode, debugger": (489, 215, 11),
    "deserialization of untrusted data": (502,),
    "open redirect": (601,),
    "network binding, exposed interface, all interfaces": (605, 1327, 668),
    "XML external entities, XXE": (611, 776),
    "cookie flags": (614, 1004, 1275, 384, 613),
    "error handling, exceptions": (390, 391, 396, 703, 754, 755),
    "server-side request forgery, SSRF": (918,),
    "null pointer": (476,),
    "use after free": (415, 416),
}
"""What a weakness is about, in terms separated by commas → its numbers."""
_BY_NUMBER = {number: words for words, numbers in WEAKNESSES.items() for number in numbers}


def weakness(number: int) -> str:
    """What a CWE number is about; empty for an unknown one."""
    return _BY_NUMBER.get(number, "")


def cwes(text: str) -> tuple[int, ...]:
    """The CWE numbers that a text names."""
    return tuple(map(int, _CWE.findall(text)))
