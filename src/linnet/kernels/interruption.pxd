# What interruption.py does without Python: while a library holds the interpreter, nothing else could.

cdef extern from *:
    """
    #include <errno.h>
    #include <poll.h>
    #include <signal.h>
    #include <string.h>
    #include <time.h>
    #include <unistd.h>

    #define LINNET_NAMES 8
    #define LINNET_LONGEST 4096
    static char linnet_words[LINNET_LONGEST];
    static char linnet_names[LINNET_NAMES][LINNET_LONGEST + 1];
    static volatile int linnet_named[LINNET_NAMES];
    static volatile int linnet_held;
    static volatile int linnet_asked;

    static long long linnet_now(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
    }

    /* The next signal number to arrive within this many milliseconds (-1: however long it takes); -1 if none does. */
    static int linnet_next(int file, int wait) {
        unsigned char number;
        struct pollfd ready = {file, POLLIN, 0};
        long long end = linnet_now() + wait;
        for (;;) {
            int left = wait < 0 ? -1 : (int)(end - linnet_now());
            if (wait >= 0 && left <= 0) return -1;
            int found = poll(&ready, 1, left);
            if (found > 0 && read(file, &number, 1) == 1) return number;
            if (found > 0 && errno != EINTR && errno != EAGAIN) return 0;
        }
    }

    static void linnet_end(int code) {
        static const char clear[] = "\\r\\x1b[K\\x1b[?25h";  /* a progress bar hides the cursor */
        int i;
        ssize_t done = 0;
        for (i = 0; i < LINNET_NAMES; i++)
            if (linnet_named[i]) unlink(linnet_names[i]);
        if (isatty(2)) done = write(2, clear, sizeof(clear) - 1);
        done = write(2, linnet_words, strlen(linnet_words));
        (void)done;
        _exit(code);
    }

    /* Returns at a 0; ends the process at a second signal, or when the first has not ended it in time. */
    static void linnet_watch(int file, int patience, int code) {
        int number, wait = -1;
        for (;;) {
            number = linnet_next(file, wait);
            if (number == 0) return;
            if (number == SIGINT || number == SIGTERM) {
                if (linnet_asked) linnet_end(code);
                linnet_asked = 1;
                wait = patience;
            } else if (number < 0 && !linnet_held) {
                linnet_end(code);
            }
        }
    }

    static int linnet_note(const char* name, size_t length) {
        int i;
        if (length > LINNET_LONGEST) return -1;
        for (i = 0; i < LINNET_NAMES; i++)
            if (!linnet_named[i]) {
                memcpy(linnet_names[i], name, length);
                linnet_names[i][length] = 0;
                linnet_named[i] = 1;
                return i;
            }
        return -1;
    }

    static void linnet_drop(const char* name) {
        int i;
        for (i = 0; i < LINNET_NAMES; i++)
            if (linnet_named[i] && !strcmp(linnet_names[i], name)) linnet_named[i] = 0;
    }

    static void linnet_say(const char* words, size_t length) {
        if (length > LINNET_LONGEST - 1) length = LINNET_LONGEST - 1;
        memset(linnet_words, 0, LINNET_LONGEST);
        memcpy(linnet_words, words, length);
    }
    """
    void guard "linnet_watch"(int file, int patience, int code) noexcept nogil
    int note "linnet_note"(const char* name, size_t length) noexcept nogil
    void drop "linnet_drop"(const char* name) noexcept nogil
    void say "linnet_say"(const char* words, size_t length) noexcept nogil
    int held "linnet_held"
    int asked "linnet_asked"
