"""The warm verification synthesizer: a pool of sandboxed kernels that synthesize CDK apps in a tenth of a second.

`pool` distributes apps to kernels and confirms verdicts that a warm kernel might have caused; `kernel` is the host side
of a kernel; `kernel_sandbox` is the sandbox around it; `prepare` fills the cache it reads; `inside` runs in the
sandbox.
"""
