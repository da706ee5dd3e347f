"""What runs inside the sandbox: standard library and jsii only. Bound there as the package `inside`."""
