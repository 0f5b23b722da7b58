// Allocations that fail: loaded before the C library (LD_PRELOAD), it lets chosen allocations of libcurl, and of the C
// functions in the program itself, return NULL. Allocations of Swift and of the C library itself are left alone.
//
// The program finds the functions below by name (dlsym).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

typedef struct {
    uintptr_t start, end;
} range;

enum { MAXIMUM_RANGES = 8192 };

static range ranges[MAXIMUM_RANGES];
static size_t range_count;
static atomic_bool is_armed;
static atomic_long counted, failures;
static long first_failure, distance;
static size_t spared[8];

static int compare(const void *first, const void *second) {
    const range *one = first, *other = second;
    return one->start < other->start ? -1 : one->start > other->start;
}

static void add(uintptr_t start, uintptr_t end) {
    if (range_count < MAXIMUM_RANGES) ranges[range_count++] = (range){start, end};
}

// The functions of the program whose names are not Swift's.
static void add_program(uintptr_t base) {
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) < 0) return;
    const char *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED) return;
    const Elf64_Ehdr *head = (const void *)bytes;
    const Elf64_Shdr *sections = (const void *)(bytes + head->e_shoff);
    for (int index = 0; index < head->e_shnum; index++) {
        if (sections[index].sh_type != SHT_SYMTAB) continue;
        const Elf64_Sym *symbols = (const void *)(bytes + sections[index].sh_offset);
        const char *names = bytes + sections[sections[index].sh_link].sh_offset;
        for (size_t number = 0; number < sections[index].sh_size / sizeof *symbols; number++) {
            const Elf64_Sym *symbol = &symbols[number];
            const char *name = names + symbol->st_name;
            if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_size == 0 || name[0] == '$') continue;
            add(base + symbol->st_value, base + symbol->st_value + symbol->st_size);
        }
    }
    munmap((void *)bytes, (size_t)status.st_size);
}

typedef struct {
    bool curl, program;
} choice;

static int add_object(struct dl_phdr_info *info, size_t size, void *context) {
    const choice *chosen = context;
    (void)size;
    if (info->dlpi_name == NULL || info->dlpi_name[0] == 0) {
        if (chosen->program) add_program(info->dlpi_addr);
    } else if (chosen->curl && strstr(info->dlpi_name, "libcurl") != NULL) {
        for (int index = 0; index < info->dlpi_phnum; index++) {
            const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
            uintptr_t start = info->dlpi_addr + segment->p_vaddr;
            if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X)) add(start, start + segment->p_memsz);
        }
    }
    return 0;
}

// Chooses whose allocations fail. Returns how many ranges of code that are.
long failing_allocations_choose(int curl, int program) {
    choice chosen = {curl != 0, program != 0};
    atomic_store(&is_armed, false);
    range_count = 0;
    dl_iterate_phdr(add_object, &chosen);
    qsort(ranges, range_count, sizeof *ranges, compare);
    return (long)range_count;
}

// Lets the allocation with a number fail, counted from one. After it, each one at the distance `every` fails, unless
// that is zero.
void failing_allocations_begin(long number, long every) {
    first_failure = number;
    distance = every;
    atomic_store(&counted, 0);
    atomic_store(&failures, 0);
    atomic_store(&is_armed, true);
}

// Lets no allocation of a size fail.
void failing_allocations_spare(size_t size) {
    for (size_t index = 0; index < sizeof spared / sizeof *spared; index++) {
        if (spared[index] != 0 && spared[index] != size) continue;
        spared[index] = size;
        return;
    }
}

// Ends that. Returns how many allocations have failed.
long failing_allocations_end(void) {
    atomic_store(&is_armed, false);
    return atomic_load(&failures);
}

static bool is_chosen(uintptr_t address) {
    size_t low = 0, high = range_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (address < ranges[middle].start) {
            high = middle;
        } else if (address >= ranges[middle].end) {
            low = middle + 1;
        } else {
            return true;
        }
    }
    return false;
}

static bool fails(const void *caller, size_t size) {
    if (!atomic_load(&is_armed) || !is_chosen((uintptr_t)caller)) return false;
    for (size_t index = 0; index < sizeof spared / sizeof *spared; index++) {
        if (spared[index] == size && size > 0) return false;
    }
    long number = atomic_fetch_add(&counted, 1) + 1;
    bool result = number == first_failure || (distance > 0 && number > first_failure && (number - first_failure) % distance == 0);
    if (result) {
        atomic_fetch_add(&failures, 1);
        errno = ENOMEM;
    }
    return result;
}

void *malloc(size_t size) { return fails(__builtin_return_address(0), size) ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) {
    return fails(__builtin_return_address(0), count * size) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return fails(__builtin_return_address(0), size) ? NULL : __libc_realloc(memory, size);
}

char *strdup(const char *text) {
    size_t size = strlen(text) + 1;
    if (fails(__builtin_return_address(0), size)) return NULL;
    char *copy = __libc_malloc(size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}
