import Platform

// One call, since what stands here belongs to the main actor, and libfuse's threads don't.
Process.exit(Probe.run(arguments: Process.arguments))
