import CWipingHeap
import Commands
import Platform

wiping_heap_link()
Process.exit(
  Kdbxfs.run(
    Array(Process.arguments.dropFirst()), in: { () throws(Errno) in try Probe.make() },
    beforeRequest: Probe.beforeRequest))
