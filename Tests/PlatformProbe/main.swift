import Platform

Process.exit(runProbe())
