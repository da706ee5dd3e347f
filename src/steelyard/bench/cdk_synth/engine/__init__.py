"""The warm verification engine: a pool of sandboxed workers that synthesize CDK apps in a tenth of a second.

`pool` distributes apps to workers and confirms verdicts that a warm worker might have caused; `worker` is the host side
of a worker; `worker_sandbox` is the sandbox around it; `prepare` fills the cache it reads; `inside` runs in the
sandbox.
"""
