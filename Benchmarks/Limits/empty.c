/* The least a program linked with our libraries can cost: it starts and ends.
 *
 *   cc -O2 -o empty empty.c -Wl,--no-as-needed $(pkg-config --libs ...)
 */
int main(void) { return 0; }
