#ifndef CDESKTOPBUS_H
#define CDESKTOPBUS_H

#include <stddef.h>
#include <stdint.h>

// D-Bus through libsystemd's sd-bus, which is loaded when it is there: nothing is linked to it, and its
// headers aren't needed. All calls for one bus come from one thread. Errors are negative errno values.

/// A connection.
struct desktop_bus;

/// What a signal said.
struct desktop_signal {
  /// The number that it was watched under.
  int watch;
  /// Its first argument, where that is a boolean.
  int flag;
  /// The path that it came from, or the path that it told of (`SessionRemoved`); cut to its room.
  char path[256];
};

/// Connects to the system's bus or that of the user's session; NULL where there is no sd-bus or no bus.
struct desktop_bus *_Nullable desktop_bus_open(int system);

/// Closes a connection.
void desktop_bus_close(struct desktop_bus *_Nonnull bus);

/// Takes down signals from now on; `sender` and `path` may be NULL for any. `arguments` is the type of
/// what is read of them: "b", "so" or "".
int desktop_bus_watch(
    struct desktop_bus *_Nonnull bus, int watch, const char *_Nullable sender,
    const char *_Nullable path, const char *_Nonnull interface, const char *_Nonnull member,
    const char *_Nonnull arguments);

/// What poll(2) is to wait for.
int desktop_bus_descriptor(struct desktop_bus *_Nonnull bus);
short desktop_bus_events(struct desktop_bus *_Nonnull bus);

/// Does what is to be done with what came; negative when the connection is gone.
int desktop_bus_process(struct desktop_bus *_Nonnull bus);

/// Takes the next signal: 1, or 0 when there is none.
int desktop_bus_next(struct desktop_bus *_Nonnull bus, struct desktop_signal *_Nonnull signal);

/// Asks logind for a delay of sleep while the descriptor is open, which it gives.
int desktop_bus_inhibit_sleep(struct desktop_bus *_Nonnull bus);

/// The path of logind's object for the session `name`, or, with NULL, for that of this process.
int desktop_bus_session(
    struct desktop_bus *_Nonnull bus, const char *_Nullable name, char *_Nonnull path,
    size_t count);

#endif
