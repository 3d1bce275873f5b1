import CWipingHeap
import Commands
import Platform

wiping_heap_link()
Process.exit(MountHelper.run(Process.arguments))
