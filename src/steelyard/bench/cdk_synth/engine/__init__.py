"""The warm verification engine: a pool of sandboxed workers that synthesize CDK apps in a tenth of a second.

`pool` hands apps to workers and confirms what a warm worker might have caused; `worker` is the host's end of one;
`cell` is the sandbox around it; `prepare` fills the cache it reads; `inside` is what runs in the sandbox.
"""
