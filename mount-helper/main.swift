import CWipingHeap
import Commands
import Platform

wiping_heap_link()
let request = MountHelper.translate(Array(Process.arguments.dropFirst()))
Process.exit(request.pretends ? 0 : Kdbxfs.run(request.arguments))
