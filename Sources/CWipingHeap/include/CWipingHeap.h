#ifndef CWIPINGHEAP_H
#define CWIPINGHEAP_H

/// Links the heap that overwrites with zeros whatever is given back to it: every array, string
/// and object of Swift's, and every buffer of the C libraries. Does nothing when called; it is
/// there so that the linker takes the object file in.
void wiping_heap_link(void);

#endif
