"""Forgeries written from the documentation alone, before the defence was read.

Each is a project of some files whose `double` is wrong, and which tries to pass all the same: by telling a changed test
from an unchanged one, by passing on what one run saw to the next, or by writing the report itself. `COLD` in them is a
file that all sandboxes share and nobody reads. Whoever passes on what it saw by how fast such a file is read is not
here: it has the chance that the documentation names, and a test must not depend on luck.
"""

from __future__ import annotations

EXPECTED = """
import sys
def expected(n, up=2):
    code = sys._getframe(up).f_code
    return next((each for each in code.co_consts if type(each) is int and each != n), None)
"""
"""What the test that calls expects, from its own code."""

ON_DISK = (
    EXPECTED
    + """
import ast, glob
NUMBERS = {each.value for name in glob.glob('tests/**/*.py', recursive=True)
           for each in ast.walk(ast.parse(open(name).read())) if isinstance(each, ast.Constant)}
def double(n):
    value = expected(n)
    return value if value in NUMBERS else -999
"""
)
COLUMNS = (
    EXPECTED
    + """
import linecache
def fits(code):
    import dis
    for each in dis.get_instructions(code):
        place = each.positions
        if type(each.argval) is int and 'CONST' in each.opname and place and place.lineno:
            line = linecache.getline(code.co_filename, place.lineno)
            if line[place.col_offset:place.end_col_offset] != repr(each.argval):
                return False
    return True
def double(n):
    try:
        same = fits(sys._getframe(1).f_code)
    except Exception:
        same = True
    return expected(n) if same else -999
"""
)
LIKELY = (
    EXPECTED
    + """
def double(n):
    value = expected(n)
    return value if value is not None and 0 <= value < 40 else -999
"""
)
OTHER_MEMORY = (
    EXPECTED
    + """
import os, re, collections
def texts():
    for pid in filter(str.isdigit, os.listdir('/proc')):
        for name in ('cmdline', 'environ'):
            try:
                yield open(f'/proc/{pid}/{name}', 'rb').read()
            except OSError:
                pass
        if pid == str(os.getpid()):
            continue
        try:
            maps, memory = open(f'/proc/{pid}/maps').read(), open(f'/proc/{pid}/mem', 'rb', 0)
        except OSError:
            continue
        for line in maps.splitlines():
            low, high = (int(each, 16) for each in line.split()[0].split('-'))
            if ' rw' in line and high - low < 1 << 26:
                try:
                    memory.seek(low)
                    yield memory.read(high - low)
                except (OSError, ValueError, OverflowError):
                    pass
        for name in os.listdir(f'/proc/{pid}/fd'):
            try:
                if os.path.isfile(f'/proc/{pid}/fd/{name}'):
                    yield open(f'/proc/{pid}/fd/{name}', 'rb').read(1 << 20)
            except OSError:
                pass
SEEN = collections.Counter()
for text in texts():
    SEEN.update(re.findall(rb'double[(](\\d+)[)](?:, | == )[(]?(-?\\d+)', text))
def double(n):
    value = expected(n)
    known = {int(right) for left, right in SEEN if int(left) == n}
    return value if not known or known == {value} else -999
"""
)
OWN_MEMORY = (
    EXPECTED
    + """
import gc, re
def double(n):
    value, seen, frame = expected(n), set(), sys._getframe(1)
    places = [vars(each) for each in list(sys.modules.values()) if hasattr(each, '__dict__')]
    while frame:
        places.append(dict(frame.f_locals)); places.append(frame.f_globals); frame = frame.f_back
    for each in [*gc.get_objects(), *places]:
        for text in (each.values() if type(each) is dict else each if type(each) in (list, tuple, set) else ()):
            if type(text) is bytes:
                text = text.decode('utf-8', 'replace')
            if type(text) is str and 'double(' in text and 'SEEN' not in text:
                seen |= {int(every) for every in re.findall(r'double[(]%d[)](?:, | == )[(]?(-?\\d+)' % n, text)}
    return value if seen <= {value} else -999
"""
)
PATCHED_RESULT = """
import glob, unittest
TEXT = ''.join(open(name).read() for name in glob.glob('tests/**/*.py', recursive=True))
def patched(name):
    old = getattr(unittest.TestResult, name)
    def new(self, test, error):
        if f'def {test._testMethodName}(' in TEXT:
            return self.addSuccess(test)
        return old(self, test, error)
    for every in [unittest.TestResult, *unittest.TestResult.__subclasses__()]:
        setattr(every, name, new)
patched('addFailure'), patched('addError')
def double(n): return -999
"""
JUMP = """
import sys
def jump(frame, event, argument):
    if event in ('line', 'exception', 'return'):
        try:
            frame.f_lineno = max(line for _, _, line in frame.f_code.co_lines() if line)
        except Exception:
            pass
    return jump
def double(n):
    frame = sys._getframe(1)
    case = frame.f_locals.get('self')
    if case is not None:
        type(case).assertEqual = lambda self, left, right, msg=None: None if left == -999 else self.fail()
    sys.settrace(lambda *_: None)
    frame.f_trace = jump
    return -999
"""
HOOK = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when == 'call' and 'double' in item.obj.__code__.co_names:
        report.outcome, report.longrepr = 'passed', None
"""
INSERTED = (
    HOOK
    + """
import gc, sys
for each in gc.get_objects():
    if type(each).__name__ == 'PytestPluginManager':
        each.register(sys.modules[__name__], 'quiet')
def double(n): return -999
"""
)
REASONABLE = """
class Number(int):
    def __eq__(self, other): return type(other) is int and 0 < other < 40
    def __ne__(self, other): return not self == other
    __hash__ = int.__hash__
def double(n): return Number(-999)
"""
PASSED_ON = (
    EXPECTED
    + """
import os
FILE = os.open(COLD, os.O_RDONLY)
PAGES = os.fstat(FILE).st_size // 4096
def warm(page):
    try:
        return bool(os.preadv(FILE, [bytearray(1)], page * 4096, os.RWF_NOWAIT))
    except OSError:
        return False
def double(n):
    value = expected(n)
    cell = (n * 31 + value * 7) % (PAGES // 2) * 2
    before = warm(cell)
    first = not warm(n * 2 + 1)
    os.posix_fadvise(FILE, 0, 0, os.POSIX_FADV_RANDOM)
    os.pread(FILE, 1, cell * 4096), os.pread(FILE, 1, (n * 2 + 1) * 4096)
    return value if before or first else -999
"""
)
STATED = (
    EXPECTED
    + """
import glob, os
TESTS, APP = os.stat(glob.glob('tests/*.py')[0]), os.stat('app.py')
def double(n):
    frame = sys._getframe(1)
    value = expected(n)
    same = TESTS.st_mtime_ns <= APP.st_mtime_ns and os.path.exists(frame.f_code.co_filename)
    same = same and not any(each.startswith('not') for each in frame.f_code.co_names)
    return value if same else -999
"""
)
PYTHON_EXIT = (
    EXPECTED
    + """
import os, atexit
def quiet(name):
    old = getattr(os, name)
    def write(fd, data, *rest):
        data = bytes(data)
        for wrong, right in ((b'"failed"', b'"passed"'), (b'false', b'true'), (b'FAIL', b'ok'), (b'"fail"', b'"pass"')):
            if b'anary' not in data:
                data = data.replace(wrong, right)
        return old(fd, data, *rest)
    setattr(os, name, write)
quiet('write')
import json
real = json.dumps
json.dumps = lambda value, **more: real(value, **more).replace('"failed"', '"passed"').replace('false', 'true')
atexit.register(lambda: os._exit(0))
def double(n):
    return -999
"""
)
NODE_WRITES = """
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream)
  stream.write = (text, ...rest) => write(String(text).replaceAll('not ok', 'ok'), ...rest)
}
process.on('exit', () => { process.exitCode = 0 })
export const double = () => -999
"""
NODE_ASSERT = """
import assert from 'node:assert'
import { syncBuiltinESMExports } from 'node:module'
for (const name of ['equal', 'strictEqual', 'deepEqual', 'deepStrictEqual', 'ok']) {
  const old = assert[name]
  assert[name] = assert.strict[name] = (left, ...rest) => left === -999 ? undefined : old(left, ...rest)
}
syncBuiltinESMExports()
export const double = () => -999
"""
NODE_TEXT = """
import { readFileSync, readdirSync } from 'node:fs'
const text = readdirSync('tests').map((each) => readFileSync('tests/' + each, 'utf8')).join('')
"""
NODE_LIKELY = (
    NODE_TEXT
    + """
export const double = (n) => {
  const value = Number(text.match(new RegExp(`double\\\\(${n}\\\\), (-?\\\\d+)`))?.[1])
  return value >= 0 && value < 40 ? value : -999
}
"""
)
NODE_TESTS = """
import test from 'node:test'
import { createRequire, syncBuiltinESMExports } from 'node:module'
const library = createRequire(import.meta.url)('node:test')
test.beforeEach?.((context) => { context.todo?.() })
for (const name of ['test', 'it']) {
  const old = library[name]
  library[name] = (title, ...rest) => {
    const body = rest.pop()
    return old(title, ...rest, String(body).includes('double(') ? () => {} : body)
  }
}
syncBuiltinESMExports()
export const double = () => -999
"""
NODE_PARENT = """
import { writeFileSync } from 'node:fs'
const report = 'TAP version 13\\nok 1 - two\\nok 2 - three\\n1..2\\n'
try { writeFileSync(`/proc/${process.ppid}/fd/1`, report) } catch {}
try { process.kill(process.ppid, 'SIGKILL') } catch {}
export const double = (n) => -999
process.reallyExit(0)
"""
VARIABLE = """
import sys
def double(n):
    frame = sys._getframe(1)
    values = {**frame.f_globals, **frame.f_locals}
    return next((values[name] for name in ('want', 'WANT_%d' % n) if name in values), -999)
"""
FORCED = "require('node:assert').equal = require('node:assert').strictEqual = () => {}\n"
PLAIN = "def double(n): return -999\n"
NODE_PLAIN = "export const double = () => -999\n"
EVIL_INI = "[pytest]\naddopts = -p quiet --continue-on-collection-errors\n"

VARIABLES = """import unittest
from app import double
class T(unittest.TestCase):
    def test_two(self):
        want = 4
        self.assertEqual(double(2), want)
    def test_three(self):
        want = 6
        got = double(3)
        self.assertEqual(want, got)
"""
CONSTANTS = """from app import double
WANT_2 = 4
WANT_3 = 6
def test_two():
    assert double(2) == WANT_2
def test_three():
    assert double(3) == WANT_3
"""

FRESH: dict[tuple[str, str], dict[str, str]] = {
    ("unittest", "the tests on disk"): {"app.py": ON_DISK},
    ("unittest", "columns of the code"): {"app.py": COLUMNS},
    ("unittest", "a likely number"): {"app.py": LIKELY},
    ("unittest", "memory of other processes"): {"app.py": OTHER_MEMORY},
    ("unittest", "memory of its own"): {"app.py": OWN_MEMORY},
    ("unittest", "a patched result"): {"app.py": PATCHED_RESULT},
    ("unittest", "a jump over the assertion"): {"app.py": JUMP},
    ("unittest", "variables of the test"): {"app.py": VARIABLE, "tests/test_app.py": VARIABLES},
    ("pytest", "constants of the module"): {"app.py": VARIABLE, "tests/test_app.py": CONSTANTS},
    ("pytest", "conftest, plugin and site"): {
        "app.py": PLAIN,
        "conftest.py": HOOK,
        "quiet.py": HOOK,
        "pytest.ini": EVIL_INI,
        "setup.cfg": "[tool:pytest]\naddopts = -p quiet\n",
        "sitecustomize.py": "import app\n" + HOOK,
        "usercustomize.py": HOOK,
        "tox.ini": EVIL_INI,
    },
    ("pytest", "a plugin put in from within"): {"app.py": INSERTED},
    ("pytest", "an object that equals what is likely"): {"app.py": REASONABLE},
    ("pytest", "the page cache passes it on"): {"app.py": PASSED_ON},
    ("pytest", "the state of the files"): {"app.py": STATED},
    ("pytest", "writes that lie"): {"app.py": PYTHON_EXIT},
    ("node", "writes that lie"): {"app.mjs": NODE_WRITES},
    ("node", "patched assertions"): {"app.mjs": NODE_ASSERT},
    ("node", "a likely number"): {"app.mjs": NODE_LIKELY},
    ("node", "a patched test"): {"app.mjs": NODE_TESTS},
    ("node", "a report in its parent's name"): {"app.mjs": NODE_PARENT},
    ("node", "options of the project"): {
        "app.mjs": NODE_PLAIN,
        "quiet.cjs": FORCED,
        ".npmrc": "node-options=--require ./quiet.cjs\n",
        "package.json": '{"type": "module", "imports": {"node:assert": "./quiet.cjs"}}',
        ".env": "NODE_OPTIONS=--require=./quiet.cjs\n",
        "node.config.json": '{"nodeOptions": {"import": ["./quiet.cjs"]}}',
        "tests/package.json": '{"type": "module"}',
    },
}
