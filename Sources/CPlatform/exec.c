#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

short platform_spawn_session_flag(void) { return POSIX_SPAWN_SETSID; }

// Whether both are variables of one name.
static int same_name(const char *one, const char *other) {
  size_t length = strcspn(one, "=") + 1;
  return strncmp(one, other, length) == 0;
}

// A vector of `count` texts that stand one after another, with room for `more` behind it.
static char **vector(const char *texts, size_t count, size_t more) {
  char **pointers = calloc(count + more + 1, sizeof *pointers);
  if (pointers == NULL) return NULL;
  for (size_t i = 0; i < count; i++, texts += strlen(texts) + 1) pointers[i] = (char *)texts;
  return pointers;
}

int platform_become_program(
    const char *words, size_t word_count, const char *variables, size_t variable_count) {
  size_t old_count = 0, used = variable_count;
  while (environ[old_count] != NULL) old_count++;
  char **arguments = vector(words, word_count, 0);
  char **environment = vector(variables, variable_count, old_count);
  if (arguments != NULL && environment != NULL) {
    for (size_t i = 0; i < old_count; i++) {
      int is_replaced = 0;
      for (size_t j = 0; j < variable_count && !is_replaced; j++)
        is_replaced = same_name(environment[j], environ[i]);
      if (!is_replaced) environment[used++] = environ[i];
    }
    signal(SIGPIPE, SIG_DFL);
    sigset_t nothing;
    sigemptyset(&nothing);
    sigprocmask(SIG_SETMASK, &nothing, NULL);
    execvpe(arguments[0], arguments, environment);
  }
  int error = errno;
  free(arguments);
  free(environment);
  return error;
}
