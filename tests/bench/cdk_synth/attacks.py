"""Attack apps, each with the classes it may end in: what THREATS asks to be tried against the CDK verifier.

An attack may also end in a pass when it achieves nothing (`PASS`): the app is honest apart from the attempt. `SPOILS`
marks attempts to poison what comes after; for all of them the next clean app must give the same bytes as ever.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from tests.waiting import HANG_S

PASS = "pass"
Effect: TypeAlias = Literal["nothing", "trace", "kernel"]
"""What an attack achieves: nothing, a trace that ends the kernel's service, or the end of the kernel itself."""

HONEST = """
import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
app = cdk.App()
stack = cdk.Stack(app, "Honest")
bucket = s3.Bucket(stack, "Bucket", versioned=True)
app.synth()
"""


class Attack(NamedTuple):
    """One attempt."""

    name: str
    code: str
    ends_in: frozenset[str]
    timeout_s: float
    """Long enough for an honest app on a busy machine, short for the ones that never end."""
    effect: Effect


def attack(name: str, classes: str, code: str, timeout_s: float = HANG_S, effect: Effect = "nothing") -> Attack:
    return Attack(name, code, frozenset(classes.split()), timeout_s, effect)


MANIFEST = """
import json, os, pathlib
out = pathlib.Path("cdk.out")
out.mkdir(exist_ok=True)
(out / "manifest.json").write_text(json.dumps({"version": "48.0.0", "artifacts": {"S": {
    "type": "aws:cloudformation:stack", "environment": "aws://unknown-account/unknown-region",
    "properties": {"templateFile": "S.template.json"}}}}))
(out / "S.template.json").write_text('{"Resources": {"B": {"Type": "AWS::S3::Bucket"}}}')
"""

BUILD = """
import os
import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
os.makedirs("build")
app = cdk.App()
stack = cdk.Stack(app, "S")
code = lambda_.Code.from_custom_command("build", ["/bin/sh", "-c", "COMMAND"])
lambda_.Function(stack, "F", runtime=lambda_.Runtime.PYTHON_3_12, handler="index.handler", code=code)
app.synth()
"""
"""Makes Node start a program."""

UNCOUNTED = """
import ctypes, mmap, os, resource
libc = ctypes.CDLL(None)
zeros = os.open("/dev/zero", os.O_RDWR)
assert os.read(zeros, 3) == bytes(3)
for descriptor in (-1, zeros):
    try:
        mmap.mmap(descriptor, 4096)
    except OSError:
        continue
    raise SystemExit("shared memory without a file")
mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
assert libc.unshare(0x10000000) == -1 and libc.shmget(0, 4096, 0o1600) == -1
assert libc.semget(0, 1, 0o1600) == -1 and libc.msgget(0, 0o1600) == -1
assert resource.getrlimit(resource.RLIMIT_NPROC)[1] <= 128
try:
    os.memfd_create("x")
except OSError:
    raise SystemExit(0)
raise SystemExit("memfd")
"""
"""Fails if there is memory that no limit counts."""

RAW_JSII = """
import aws_cdk as cdk, json
from jsii._runtime import kernel
pipes = kernel.provider._process._process
def ask(**request):
    pipes.stdin.write(json.dumps(request).encode() + b"\\n")
    pipes.stdin.flush()
    return json.loads(pipes.stdout.readline())
"""

ATTACKS: tuple[Attack, ...] = (
    # Nothing to show.
    attack("empty app", "no_stack", "import aws_cdk as cdk\ncdk.App().synth()\n"),
    attack("empty stack", "empty_template", "import aws_cdk as cdk\na = cdk.App()\ncdk.Stack(a, 'S')\na.synth()\n"),
    attack(
        "outputs only",
        "empty_template",
        "import aws_cdk as cdk\na = cdk.App()\ns = cdk.Stack(a, 'S')\ncdk.CfnOutput(s, 'O', value='1')\na.synth()\n",
    ),
    attack("never calls synth", "no_stack", HONEST.replace("app.synth()", "")),
    attack("no code at all", "no_stack", "x = 1\n"),
    # Exit codes.
    attack("sys.exit(0) before synth", "no_stack", "import sys\nsys.exit(0)\n" + HONEST),
    attack("os._exit(0) before synth", "no_stack", "import os\nos._exit(0)\n" + HONEST),
    attack("exit code after synth", "runtime_error", HONEST + "import sys\nsys.exit(3)\n"),
    attack("os._exit after synth", "runtime_error", HONEST + "import os\nos._exit(4)\n"),
    attack("exit in atexit", "runtime_error", "import atexit, os\natexit.register(os._exit, 5)\n" + HONEST),
    attack("exception after synth", "runtime_error", HONEST + "raise ValueError('late')\n"),
    attack("sys.exit with text", "runtime_error", HONEST + "import sys\nsys.exit('no')\n"),
    attack("kills itself", "runtime_error", HONEST + "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n"),
    attack("aborts", "runtime_error", "import os\nos.abort()\n"),
    attack(
        "exit inside a callback",
        "no_stack runtime_error construct_error",
        """
import os, jsii, aws_cdk as cdk
from aws_cdk import aws_s3 as s3
@jsii.implements(cdk.IAspect)
class Leave:
    def visit(self, node):
        os._exit(0)
app = cdk.App()
stack = cdk.Stack(app, "S")
s3.Bucket(stack, "B")
cdk.Aspects.of(app).add(Leave())
app.synth()
""",
        effect="kernel",
    ),
    # Forged assemblies.
    attack("hand-written cdk.out", "forbidden", MANIFEST),
    attack(
        "hand-written cdk.out, errors swallowed",
        "forbidden",
        "try:\n" + "".join(f"    {line}\n" for line in MANIFEST.strip().splitlines()) + "except OSError:\n    pass\n",
    ),
    attack(
        "cdk.out replaced by a link",
        "forbidden",
        """
import os, pathlib, shutil
pathlib.Path("/tmp/fake").mkdir()
shutil.rmtree("cdk.out")
os.symlink("/tmp/fake", "cdk.out")
""",
    ),
    attack(
        "template edited after synth",
        "forbidden",
        HONEST
        + """
import pathlib
pathlib.Path("cdk.out/Honest.template.json").write_text("{}")
""",
    ),
    attack(
        "monkeypatched synth",
        "no_stack",
        """
import aws_cdk as cdk
cdk.App.synth = lambda self: None
app = cdk.App()
app.synth()
""",
    ),
    attack(
        "own aws_cdk beside the app",
        "no_stack forbidden import_error runtime_error",
        "import pathlib\npathlib.Path('aws_cdk.py').write_text('class App:\\n    def synth(self): pass\\n')\n"
        "import sys\nfor n in [n for n in sys.modules if n.startswith('aws_cdk')]: del sys.modules[n]\n"
        "import aws_cdk\naws_cdk.App().synth()\n",
    ),
    attack(
        "sitecustomize and fake tools",
        "pass",
        """
import os, pathlib
for name in ("sitecustomize.py", "usercustomize.py", "cdk", "node", "jsii.py", "aws_cdk/__init__.py"):
    path = pathlib.Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("raise SystemExit(9)\\n")
    path.chmod(0o755)
os.environ["PATH"] = os.getcwd() + ":" + os.environ["PATH"]
"""
        + HONEST,
    ),
    # Reading what is not theirs.
    attack(
        "looks for references",
        "pass",
        """
import os, sys
found = []
for root in ("/", *sys.path):
    for folder, _, names in os.walk(root):
        if folder.startswith(("/proc", "/sys", "/usr", "/site/aws_cdk", "/synthesizer/packages")):
            continue
        found += [n for n in names if "cdk_synth" in n or n.startswith("cdk_0") or n.endswith(".jsonl")]
        if "steelyard" in folder or folder.endswith("/references"):
            found.append(folder)
assert not found, found
try:
    import steelyard
    raise SystemExit("steelyard can be imported")
except ImportError:
    pass
"""
        + HONEST,
    ),
    attack(
        "reads environment and home",
        "pass",
        """
import os, pathlib
assert not [n for n in os.environ if n.endswith(("KEY", "TOKEN", "SECRET")) or n.startswith("AWS_")], os.environ
assert not list(pathlib.Path(os.environ["HOME"]).iterdir())
assert not os.path.exists("/root/.ssh") and not os.path.exists("/root/.cache") and not os.path.exists("/etc/shadow")
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) != os.getpid():
        try:
            env = open(f"/proc/{pid}/environ").read()
        except OSError:
            continue
        assert "ANTHROPIC" not in env and "STEELYARD_CACHE" not in env
"""
        + HONEST,
    ),
    attack(
        "asset from outside the project",
        "construct_error forbidden",
        """
import aws_cdk as cdk
from aws_cdk import aws_s3_assets as assets
app = cdk.App()
stack = cdk.Stack(app, "S")
assets.Asset(stack, "A", path="/root/.aws")
app.synth()
""",
    ),
    attack(
        "network", "forbidden", "import urllib.request\nurllib.request.urlopen('http://169.254.169.254/', timeout=3)\n"
    ),
    attack("name resolution", "forbidden", "import socket\nsocket.create_connection(('example.com', 80), timeout=3)\n"),
    # Limits.
    attack("fork bomb", "resource_limit", "import os\nwhile True:\n    os.fork()\n"),
    attack(
        "thread bomb",
        "resource_limit",
        """
import threading
wait = threading.Event()
while True:
    threading.Thread(target=wait.wait, daemon=True).start()
""",
    ),
    attack("memory bomb", "resource_limit", "x = []\nwhile True:\n    x.append(bytearray(50_000_000))\n"),
    attack(
        "memory bomb of many",
        "resource_limit",
        """
import os, time
for _ in range(20):
    if os.fork() == 0:
        kept = b"x" * 300_000_000
        time.sleep(3000)
time.sleep(3000)
""",
    ),
    attack(
        "disk bomb",
        "resource_limit",
        """
for n in range(100):
    with open(f"f{n}", "wb") as f:
        f.write(b"x" * 50_000_000)
""",
    ),
    attack(
        "one large file",
        "resource_limit",
        """
with open("f", "wb") as f:
    while True:
        f.write(b"x" * 10_000_000)
""",
    ),
    attack(
        "file flood",
        "pass resource_limit",
        """
for n in range(30000):
    open(f"f{n}", "w").close()
"""
        + HONEST,
    ),
    attack(
        "deep folders",
        "pass",
        """
import os
for _ in range(400):
    os.mkdir("d")
    os.chdir("d")
"""
        + HONEST,
    ),
    attack("output flood", "pass", "import sys\nfor _ in range(3000):\n    sys.stdout.write('x' * 10000)\n" + HONEST),
    attack("many open files", "resource_limit", "kept = [open('/dev/null') for _ in range(100000)]\n"),
    attack("endless loop", "timeout", "while True:\n    pass\n", 0.7),
    attack("sleeps", "timeout", "import time\ntime.sleep(1000)\n", 1.0),
    attack(
        "endless loop in Node",
        "timeout",
        """
import aws_cdk as cdk
from aws_cdk import aws_sqs as sqs
app = cdk.App()
stack = cdk.Stack(app, "S")
n = 0
while True:
    sqs.CfnQueue(stack, f"Q{n}")
    n += 1
""",
        1.5,
        effect="kernel",
    ),
    attack(
        "a request that keeps Node busy",
        "timeout",
        """
import aws_cdk as cdk
app = cdk.App()
stack = cdk.Stack(app, "S")
for n in range(40):
    cdk.CfnResource(stack, f"R{n}", type="X::Y::Z", properties={"a": [f"{n}-{k}" for k in range(60000)]})
while True:
    app.synth(force=True)
""",
        4.0,
        effect="kernel",
    ),
    # Outliving the run.
    attack(
        "background process",
        "pass forbidden construct_error",
        """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            for path in ("/work/app.py", "/work/cdk.out/manifest.json", "/tmp/left"):
                try:
                    open(path, "w").write("raise SystemExit(7)")
                except OSError:
                    pass
    os._exit(0)
"""
        + HONEST,
    ),
    attack(
        "daemon thread keeps running",
        "pass",
        """
import threading
threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()
"""
        + HONEST,
    ),
    attack(
        "leaves files everywhere",
        "pass",
        """
import os
ours = ("/kernel", "/synthesizer")
for folder in ("/work", "/tmp", "/var/tmp", "/dev/shm", os.environ["HOME"], "/", "/run", "/etc", *ours):
    for name in ("cdk.json", "node_modules", ".cdk.json", "sitecustomize.py"):
        try:
            with open(os.path.join(folder, name), "w") as f:
                f.write("{}")
        except OSError:
            pass
"""
        + HONEST,
    ),
    attack(
        "locks its folder",
        "pass forbidden",
        "import os\nos.makedirs('x/y')\n"
        + HONEST
        + "os.chmod('x', 0)\ntry:\n    os.chmod('/work', 0)\nexcept OSError:\n    pass\n",
    ),
    attack(
        "locks the folder of the assembly",
        "pass forbidden",
        HONEST + "import os\ntry:\n    os.chmod('/work/cdk.out', 0)\nexcept OSError:\n    pass\n",
    ),
    attack(
        "locks its folder and fills it",
        "resource_limit",
        """
import os
os.mkdir("d")
folder = os.open("d", os.O_RDONLY)
try:
    os.chmod("/work", 0)
except OSError:
    pass
for number in range(600_000):
    os.close(os.open(str(number), os.O_CREAT, dir_fd=folder))
""",
    ),
    # Signals and traces.
    attack(
        "kills everything",
        "pass runtime_error no_stack",
        HONEST
        + """
import os, signal
for pid in [*range(2, 400), -1]:
    if pid != os.getpid():
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
""",
    ),
    attack(
        "traces its parents",
        "pass",
        """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
seen = [int(p) for p in os.listdir("/proc") if p.isdigit() and int(p) != int(os.readlink("/proc/self"))]
for pid in seen:
    assert libc.ptrace(16, pid, 0, 0) != 0, pid
    try:
        open(f"/proc/{pid}/mem", "r+b")
        raise SystemExit(f"opened the memory of {pid}")
    except OSError:
        pass
"""
        + HONEST,
    ),
    attack(
        "remounts",
        "pass",
        """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
ours = (b"/synthesizer/packages", b"/synthesizer/inside", b"/kernel")
for target in (b"/", b"/site/aws_cdk", *ours, b"/work/cdk.out", b"/usr"):
    for flags in (32, 32 | 4096, 4096):
        assert libc.mount(target, target, None, flags, None) != 0, target
assert libc.umount2(b"/work/cdk.out", 2) != 0
"""
        + HONEST,
    ),
    attack(
        "new user namespace",
        "pass",
        """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
if os.fork() == 0:
    if libc.unshare(0x10000000 | 0x00020000) == 0:
        for target in (b"/site/aws_cdk", b"/work/cdk.out", b"/synthesizer/packages"):
            if libc.mount(None, target, None, 32 | 4096, None) == 0:
                try:
                    open(target + b"/poison", "w")
                except OSError:
                    continue
                os.kill(os.getppid(), 9)
    os._exit(0)
os.wait()
"""
        + HONEST,
    ),
    attack(
        "overwrites packages and caches",
        "pass",
        """
import os
targets = []
for root in ("/site", "/synthesizer", "/kernel"):
    for folder, folders, names in os.walk(root):
        targets += [os.path.join(folder, n) for n in names[:2]] + [os.path.join(folder, "poison.js")]
        if len(targets) > 3000:
            break
for target in targets:
    try:
        with open(target, "a") as f:
            f.write("\\nprocess.exit(9)\\n")
        raise SystemExit(f"wrote {target}")
    except OSError:
        pass
    try:
        os.chmod(os.path.dirname(target), 0o777)
        raise SystemExit(f"changed {target}")
    except OSError:
        pass
"""
        + HONEST,
    ),
    attack(
        "Node writes into its own modules",
        "pass no_stack construct_error forbidden",
        """
import os, aws_cdk as cdk
from aws_cdk import aws_s3 as s3
inner = os.path.join("/kernel/modules", os.listdir("/kernel/modules")[0], "node_modules")
try:
    bad = cdk.App(outdir=inner + "/poison")
    s3.Bucket(cdk.Stack(bad, "S"), "B")
    bad.synth()
except Exception:
    pass
assert not os.path.exists(inner + "/poison")
"""
        + HONEST,
    ),
    # jsii.
    attack(
        "jsii load",
        "forbidden",
        RAW_JSII
        + """
import io, tarfile
with tarfile.open("/tmp/evil.tgz", "w:gz") as tar:
    for name, text in (("package.json", '{"name":"evil","version":"1.0.0","main":"i.js"}'), ("i.js", "process.exit(9)"),
                       (".jsii", '{"schema":"jsii/0.10.0","name":"evil","version":"1.0.0","jsiiVersion":"5.0.0"}')):
        entry = tarfile.TarInfo("package/" + name)
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text.encode()))
kernel.load("evil", "1.0.0", "/tmp/evil.tgz")
""",
    ),
    attack(
        "jsii load, refusal swallowed",
        "pass",
        RAW_JSII
        + "assert 'error' in ask(api='load', name='evil', version='1.0.0', tarball='/tmp/evil.tgz')\n"
        + HONEST,
    ),
    attack(
        "jsii exit",
        "pass no_stack runtime_error construct_error",
        RAW_JSII + "pipes.stdin.write(b'{\"exit\":9}\\n')\npipes.stdin.flush()\n" + HONEST,
    ),
    attack(
        "calls the guard",
        "pass",
        RAW_JSII
        + """
for fqn in ("steelyard-guard.Guard", "steelyard-guard"):
    assert "error" in ask(api="sinvoke", fqn=fqn, method="baseline", args=[])
assert "error" in ask(api="getBinScriptCommand", assembly="aws-cdk-lib", script="x")
"""
        + HONEST,
    ),
    attack(
        "objects of other apps",
        "pass",
        RAW_JSII
        + """
for number in range(10000, 10400):
    for kind in ("App", "Stack", "aws_s3.Bucket"):
        old = {"$jsii.byref": f"aws-cdk-lib.{kind}@{number}"}
        assert "error" in ask(api="invoke", objref=old, method="synth", args=[])
"""
        + HONEST.replace("import aws_cdk", "import aws_cdk"),
    ),
    attack(
        "malformed jsii",
        "pass no_stack runtime_error construct_error forbidden",
        RAW_JSII
        + """
for line in (b"nonsense\\n", b"[]\\n", b"{}\\n", b'{"api":5}\\n', b"\\xff\\xfe\\n", b"[" * 100000 + b"\\n"):
    pipes.stdin.write(line)
    pipes.stdin.flush()
    assert b"error" in pipes.stdout.readline()
"""
        + HONEST,
    ),
    attack(
        "poisons region facts",
        "pass",
        """
import jsii
from aws_cdk import region_info
@jsii.implements(region_info.IFact)
class Poison:
    name = property(lambda self: "s3-static-website:endpoint")
    region = property(lambda self: "us-east-1")
    value = property(lambda self: "poisoned.example")
region_info.Fact.register(Poison(), True)
"""
        + HONEST,
        effect="trace",
    ),
    attack(
        "poisons prototypes",
        "pass construct_error",
        """
import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
app = cdk.App()
stack = cdk.Stack(app, "S")
bucket = s3.CfnBucket(stack, "B")
for path in ("__proto__.Poison", "constructor.prototype.Poison", "Properties.__proto__.Poison",
             "Properties.constructor.prototype.Tags", "Metadata.__proto__.__proto__.Poison"):
    bucket.add_override(path, {"poisoned": True})
    bucket.add_property_override(path, {"poisoned": True})
app.synth()
""",
    ),
    attack(
        "asset under a name used again",
        "pass",
        """
import pathlib, aws_cdk as cdk
from aws_cdk import aws_s3_assets as assets
pathlib.Path("stuff").mkdir()
pathlib.Path("stuff/file.txt").write_text("POISON")
app = cdk.App()
stack = cdk.Stack(app, "S")
assets.Asset(stack, "A", path="stuff")
cdk.CfnResource(stack, "R", type="AWS::SNS::Topic")
app.synth()
""",
    ),
    attack(
        "context left behind",
        "pass",
        """
import pathlib
for name in ("cdk.json", "cdk.context.json", "/tmp/cdk.json"):
    pathlib.Path(name).write_text('{"context": {"aws:cdk:enable-path-metadata": false}}')
import os
os.environ["CDK_CONTEXT_JSON"] = "{}"
"""
        + HONEST,
        effect="trace",
    ),
    # Node is trusted, what it starts for an app is not.
    attack("a build command", "pass", BUILD.replace("COMMAND", "echo built > build/index.py"), effect="trace"),
    attack(
        "a build command that looks around",
        "pass",
        BUILD.replace(
            "COMMAND",
            "readlink /proc/[0-9]*/exe | grep synth.*node >build/seen; touch /kernel/x && echo in >> build/seen; true",
        )
        + "seen = open('build/seen').read()\nassert seen == '', seen\n",
        effect="trace",
    ),
    attack(
        "a build command that stays behind",
        "pass",
        BUILD.replace(
            "COMMAND", "setsid /bin/sh -c 'while :; do echo >> /work/cdk.out/manifest.json; done' > /dev/null 2>&1 &"
        ),
        effect="trace",
    ),
    attack(
        "a build command that wants memory that no limit counts",
        "pass",
        f"import sys\nopen('try.py', 'w').write({UNCOUNTED!r})\n"
        + BUILD.replace('"/bin/sh", "-c", "COMMAND"', 'sys.executable, "try.py"'),
        effect="trace",
    ),
    attack(
        "a build command that is not there",
        "construct_error",
        BUILD.replace('"/bin/sh", "-c", ', '"no-such-program", '),
        effect="trace",
    ),
    attack(
        "an assembly in Node's own folder",
        "no_stack forbidden",
        HONEST.replace("cdk.App()", "cdk.App(outdir='/kernel/mine')")
        + "import os\nassert os.path.exists('/kernel/mine') and not os.path.exists('/kernel/other')\n",
    ),
    attack(
        "another one, which finds the first",
        "no_stack forbidden",
        "import os\nassert not os.path.exists('/kernel/mine')\n"
        + HONEST.replace("cdk.App()", "cdk.App(outdir='/kernel/other')"),
    ),
    # What synthesis wrote, removed or replaced.
    attack(
        "error annotations removed",
        "forbidden",
        HONEST.replace("app.synth()", "cdk.Annotations.of(stack).add_error('no')\napp.synth()")
        + "import os\nos.unlink('cdk.out/Honest.metadata.json')\n",
    ),
    attack(
        "error annotations behind a link",
        "forbidden",
        HONEST.replace("app.synth()", "cdk.Annotations.of(stack).add_error('no')\napp.synth()")
        + "import os\nos.rename('cdk.out/Honest.metadata.json', 'cdk.out/m')\n"
        + "os.symlink('m', 'cdk.out/Honest.metadata.json')\n",
    ),
    # What the next app would meet.
    attack(
        "version properties of every function",
        "pass",
        "from aws_cdk import aws_lambda\naws_lambda.Function.classify_version_property('Tags', True)\n" + HONEST,
        effect="trace",
    ),
    attack(
        "Node first when memory is short",
        "forbidden",
        "import os\nfor pid in filter(str.isdigit, os.listdir('/proc')):\n"
        "    open(f'/proc/{pid}/oom_score_adj', 'w').write('1000')\n" + HONEST,
    ),
    attack("a file in /dev", "forbidden", "open('/dev/left', 'w').close()\n" + HONEST),
    attack(
        "six hundred thousand files",
        "resource_limit",
        "import os\nos.mkdir('/tmp/d')\nfor number in range(600_000):\n    open(f'/tmp/d/{number}', 'w').close()\n",
    ),
    attack(
        "many children, each below the limit",
        "resource_limit",
        "import os, time\nfor _ in range(40):\n    if os.fork() == 0:\n        kept = os.urandom(1000) * 100_000\n"
        "        time.sleep(1000)\ntime.sleep(1000)\n",
    ),
    attack(
        "memory that no limit counts",
        "pass",
        f"try:\n    exec({UNCOUNTED!r})\nexcept SystemExit as ended:\n    assert ended.code == 0\n" + HONEST,
    ),
    attack(
        "the rest of the system",
        "pass",
        "import os\nassert not {'include', 'src', 'games', 'libexec', 'sbin'} & set(os.listdir('/usr'))\n"
        "assert not os.path.exists('/usr/share') or os.listdir('/usr/share') == ['zoneinfo']\n" + HONEST,
    ),
    # Lookups, symlinks, bytes.
    attack(
        "context lookup",
        "context_lookup",
        """
import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
app = cdk.App()
stack = cdk.Stack(app, "S", env=cdk.Environment(account="123456789012", region="us-east-1"))
ec2.Vpc.from_lookup(stack, "V", is_default=True)
app.synth()
""",
    ),
    attack(
        "links out of the project",
        "pass construct_error forbidden",
        """
import os
os.symlink("/", "everything")
os.symlink("/proc/1/environ", "environ")
os.symlink("nowhere", "dangling")
import aws_cdk as cdk
from aws_cdk import aws_s3_assets as assets
app = cdk.App()
stack = cdk.Stack(app, "S")
assets.Asset(stack, "A", path="environ")
cdk.CfnResource(stack, "R", type="AWS::SNS::Topic")
app.synth()
""",
    ),
    attack("names that are no UTF-8", "pass", "import os\nopen(b'\\xff\\xfe', 'w').close()\n" + HONEST),
    attack(
        "prints bytes that are no UTF-8",
        "runtime_error",
        "import os\nos.write(2, bytes(range(256)) * 100)\nraise ValueError('\\udc80')\n",
    ),
    attack("a megabyte of code", "pass", "x = [\n" + "    'padding padding padding',\n" * 35_000 + "]\n" + HONEST),
)
