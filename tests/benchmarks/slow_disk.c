/* A file system on which every look takes long, as a network's does: each open, stat and listing of a path below
 * $SLOW_DISK takes a millisecond more. Built by slow_disk.py, and loaded with LD_PRELOAD. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static void wait_a_millisecond(void)
{
    struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}

/* Paths that are relative to an open folder count as slow: only the content is looked at like that. */
static void look(int folder, const char *path)
{
    const char *slow = getenv("SLOW_DISK");
    if (slow && path && (strncmp(path, slow, strlen(slow)) == 0 || (folder != AT_FDCWD && path[0] != '/')))
        wait_a_millisecond();
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) \
        real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        REAL(int, name, const char *, int, ...); \
        look(AT_FDCWD, path); \
        return real(path, flags, mode); \
    }

#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) \
    { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        REAL(int, name, int, const char *, int, ...); \
        look(folder, path); \
        return real(folder, path, flags, mode); \
    }

#define STAT(name, status) \
    int name(const char *path, struct status *found) \
    { \
        REAL(int, name, const char *, struct status *); \
        look(AT_FDCWD, path); \
        return real(path, found); \
    }

#define STATAT(name, status) \
    int name(int folder, const char *path, struct status *found, int flags) \
    { \
        REAL(int, name, int, const char *, struct status *, int); \
        look(folder, path); \
        return real(folder, path, found, flags); \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)
STATAT(fstatat, stat)
STATAT(fstatat64, stat64)

int statx(int folder, const char *path, int flags, unsigned int wanted, struct statx *found)
{
    REAL(int, statx, int, const char *, int, unsigned int, struct statx *);
    look(folder, path);
    return real(folder, path, flags, wanted, found);
}

DIR *opendir(const char *path)
{
    REAL(DIR *, opendir, const char *);
    look(AT_FDCWD, path);
    return real(path);
}

/* A listing of a folder that is open already. */
DIR *fdopendir(int folder)
{
    REAL(DIR *, fdopendir, int);
    look(folder, "");
    return real(folder);
}
