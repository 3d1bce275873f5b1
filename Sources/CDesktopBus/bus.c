#define _GNU_SOURCE
#include "CDesktopBus.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef int (*handler)(void *message, void *data, void *error);

// What is used of sd-bus; the types are those of its header, pointers left untyped.
static struct {
  int (*open_system)(void **bus);
  int (*open_user)(void **bus);
  void *(*close)(void *bus);
  int (*descriptor)(void *bus);
  int (*events)(void *bus);
  int (*process)(void *bus, void **message);
  int (*match)(
      void *bus, void **slot, const char *sender, const char *path, const char *interface,
      const char *member, handler callback, void *data);
  int (*call)(
      void *bus, const char *destination, const char *path, const char *interface,
      const char *member, void *error, void **reply, const char *types, ...);
  int (*read)(void *message, const char *types, ...);
  const char *(*path)(void *message);
  void *(*drop)(void *message);
} sd;

static int is_loaded;

static void load(void) {
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  const struct {
    void **place;
    const char *name;
  } functions[] = {
      {(void **)&sd.open_system, "sd_bus_open_system"},
      {(void **)&sd.open_user, "sd_bus_open_user"},
      {(void **)&sd.close, "sd_bus_flush_close_unref"},
      {(void **)&sd.descriptor, "sd_bus_get_fd"},
      {(void **)&sd.events, "sd_bus_get_events"},
      {(void **)&sd.process, "sd_bus_process"},
      {(void **)&sd.match, "sd_bus_match_signal"},
      {(void **)&sd.call, "sd_bus_call_method"},
      {(void **)&sd.read, "sd_bus_message_read"},
      {(void **)&sd.path, "sd_bus_message_get_path"},
      {(void **)&sd.drop, "sd_bus_message_unref"},
  };
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    *functions[i].place = dlsym(library, functions[i].name);
    if (*functions[i].place == NULL) {
      dlclose(library);
      return;
    }
  }
  is_loaded = 1;
}

enum { MOST_WATCHES = 8, MOST_SIGNALS = 32 };

struct watch {
  struct desktop_bus *bus;
  int number;
  char arguments[4];
};

struct desktop_bus {
  void *bus;
  int watch_count;
  struct watch watches[MOST_WATCHES];
  int first, count;
  struct desktop_signal signals[MOST_SIGNALS];
};

struct desktop_bus *desktop_bus_open(int system) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  if (!is_loaded) return NULL;
  struct desktop_bus *bus = calloc(1, sizeof *bus);
  if (bus == NULL) return NULL;
  if ((system ? sd.open_system : sd.open_user)(&bus->bus) >= 0) return bus;
  free(bus);
  return NULL;
}

void desktop_bus_close(struct desktop_bus *bus) {
  sd.close(bus->bus);
  free(bus);
}

static void keep_path(struct desktop_signal *signal, const char *path) {
  if (path == NULL) return;
  strncpy(signal->path, path, sizeof signal->path - 1);
}

static int note(void *message, void *data, void *error) {
  (void)error;
  struct watch *watch = data;
  struct desktop_bus *bus = watch->bus;
  struct desktop_signal signal = {.watch = watch->number};
  keep_path(&signal, sd.path(message));
  if (strcmp(watch->arguments, "b") == 0) {
    if (sd.read(message, "b", &signal.flag) < 0) return 0;
  } else if (strcmp(watch->arguments, "so") == 0) {
    const char *name = NULL, *path = NULL;
    if (sd.read(message, "so", &name, &path) < 0) return 0;
    keep_path(&signal, path);
  }
  // Who floods us loses his own signals only when nobody takes any for long.
  if (bus->count == MOST_SIGNALS) return 0;
  bus->signals[(bus->first + bus->count) % MOST_SIGNALS] = signal;
  bus->count++;
  return 0;
}

int desktop_bus_watch(
    struct desktop_bus *bus, int number, const char *sender, const char *path,
    const char *interface, const char *member, const char *arguments) {
  if (bus->watch_count == MOST_WATCHES) return -ENOSPC;
  struct watch *watch = &bus->watches[bus->watch_count];
  watch->bus = bus;
  watch->number = number;
  strncpy(watch->arguments, arguments, sizeof watch->arguments - 1);
  int result = sd.match(bus->bus, NULL, sender, path, interface, member, note, watch);
  if (result >= 0) bus->watch_count++;
  return result;
}

int desktop_bus_descriptor(struct desktop_bus *bus) { return sd.descriptor(bus->bus); }

short desktop_bus_events(struct desktop_bus *bus) {
  int events = sd.events(bus->bus);
  return events < 0 ? 0 : (short)events;
}

int desktop_bus_process(struct desktop_bus *bus) {
  int result;
  while ((result = sd.process(bus->bus, NULL)) > 0 && bus->count < MOST_SIGNALS) {
  }
  return result;
}

int desktop_bus_next(struct desktop_bus *bus, struct desktop_signal *signal) {
  if (bus->count == 0) return 0;
  *signal = bus->signals[bus->first];
  bus->first = (bus->first + 1) % MOST_SIGNALS;
  bus->count--;
  return 1;
}

static const char service[] = "org.freedesktop.login1";
static const char object[] = "/org/freedesktop/login1";
static const char manager[] = "org.freedesktop.login1.Manager";

int desktop_bus_inhibit_sleep(struct desktop_bus *bus) {
  void *reply = NULL;
  int result = sd.call(
      bus->bus, service, object, manager, "Inhibit", NULL, &reply, "ssss", "sleep", "kdbxfs",
      "the vault is locked first", "delay");
  int descriptor = -1;
  if (result >= 0) result = sd.read(reply, "h", &descriptor);
  // The message owns the descriptor.
  if (result >= 0) {
    descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    result = descriptor < 0 ? -errno : descriptor;
  }
  if (reply != NULL) sd.drop(reply);
  return result;
}

int desktop_bus_session(struct desktop_bus *bus, const char *name, char *path, size_t count) {
  void *reply = NULL;
  int result =
      name != NULL
          ? sd.call(bus->bus, service, object, manager, "GetSession", NULL, &reply, "s", name)
          : sd.call(
                bus->bus, service, object, manager, "GetSessionByPID", NULL, &reply, "u", 0u);
  const char *found = NULL;
  if (result >= 0) result = sd.read(reply, "o", &found);
  if (result >= 0 && strlen(found) >= count) result = -ENAMETOOLONG;
  if (result >= 0) strcpy(path, found);
  if (reply != NULL) sd.drop(reply);
  return result;
}
