"""The benchmarks of kdbxfs: each goal a row, beside a peer or a limit measured in the same run."""
