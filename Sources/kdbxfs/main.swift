import CWipingHeap
import Commands
import Platform

wiping_heap_link()
Process.exit(Kdbxfs.run(ProgramName.arguments(of: Process.arguments)))
