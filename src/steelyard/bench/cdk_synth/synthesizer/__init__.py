"""The warm verification synthesizer: a pool of sandboxed kernels that synthesize CDK apps in a tenth of a second."""
