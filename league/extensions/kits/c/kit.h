/* Talks to the league: reads a line, asks choose, writes a line. See docs/languages.md of League. */
#ifndef KIT_H
#define KIT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value of JSON: a number, a list, an object with named values, a string, or nothing. */
typedef struct Json {
    enum { NOTHING, NUMBER, STRING, LIST, OBJECT } kind;
    long long number; /* of true it is 1, of false 0 */
    char *name;       /* within an object */
    char *string;
    struct Json *first, *next;
    int count;
} Json;

/* Where a bot sits in one match. memory is yours, zero at the beginning of a match. */
typedef struct {
    int seat, players;
    const char *game;
    const Json *options;
    uint64_t random_state;
    char memory[4096];
} Table;

/* Your turn: return one of the numbers in the list `legal` of the view. */
int choose(Table *table, const Json *view);

/* The value of this name in an object. A name that is not there ends the program. */
static inline const Json *field(const Json *object, const char *name) {
    for (const Json *value = object->first; value; value = value->next) {
        if (value->name && strcmp(value->name, name) == 0) {
            return value;
        }
    }
    fprintf(stderr, "there is no field %s\n", name);
    exit(1);
}

/* The number of this name in an object. */
static inline int number(const Json *object, const char *name) { return (int)field(object, name)->number; }

/* How many items a list has. */
static inline int length(const Json *list) { return list->count; }

/* An item of a list, from 0. */
static inline const Json *item(const Json *list, int index) {
    const Json *value = list->first;
    while (value && index-- > 0) {
        value = value->next;
    }
    if (!value) {
        fprintf(stderr, "there is no such item in a list of %d\n", list->count);
        exit(1);
    }
    return value;
}

/* A number of a list of numbers, from 0. */
static inline int at(const Json *list, int index) { return (int)item(list, index)->number; }

/* A random number from 0 to below - 1; the same when a game is played again (the generator splitmix64). */
static inline int random_below(Table *table, int below) {
    uint64_t mixed = (table->random_state += 0x9E3779B97F4A7C15u);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return (int)((mixed ^ (mixed >> 31)) % (uint64_t)below);
}

/* What follows is for the kit itself. */

static char *kit_at;

static Json *kit_value(void);

static char *kit_string(void) {
    char *start = ++kit_at, *end = start;
    for (; *kit_at && *kit_at != '"'; kit_at++) {
        if (*kit_at == '\\' && kit_at[1]) {
            kit_at++;
        }
        *end++ = *kit_at;
    }
    if (*kit_at) {
        kit_at++;
    }
    *end = 0;
    return start;
}

static void kit_skip(const char *these) {
    while (*kit_at && strchr(these, *kit_at)) {
        kit_at++;
    }
}

static Json *kit_items(Json *parent, char close) {
    Json **last = &parent->first;
    kit_at++;
    for (kit_skip(" ,"); *kit_at && *kit_at != close; kit_skip(" ,")) {
        char *name = NULL;
        if (close == '}') {
            name = kit_string();
            kit_skip(" :");
        }
        *last = kit_value();
        (*last)->name = name;
        last = &(*last)->next;
        parent->count++;
    }
    kit_at++;
    return parent;
}

static Json *kit_value(void) {
    Json *value = calloc(1, sizeof *value);
    kit_skip(" ");
    if (*kit_at == '{' || *kit_at == '[') {
        value->kind = *kit_at == '{' ? OBJECT : LIST;
        return kit_items(value, *kit_at == '{' ? '}' : ']');
    }
    if (*kit_at == '"') {
        value->kind = STRING;
        value->string = kit_string();
    } else if (strchr("-0123456789", *kit_at)) {
        value->kind = NUMBER;
        value->number = strtoll(kit_at, &kit_at, 10);
        kit_skip(".eE+-0123456789");
    } else {
        value->kind = *kit_at == 'n' ? NOTHING : NUMBER;
        value->number = *kit_at == 't';
        kit_skip("truefalsn");
    }
    return value;
}

static void kit_free(Json *value) {
    while (value) {
        Json *next = value->next;
        kit_free(value->first);
        free(value);
        value = next;
    }
}

int main(void) {
    char *line = NULL, *greeting = NULL;
    size_t size = 0;
    Json *hello = NULL;
    Table *tables = NULL;
    int room = 0;
    while (getline(&line, &size, stdin) > 0) {
        kit_at = line;
        Json *message = kit_value();
        if (message->first && strcmp(message->first->name, "hello") == 0) {
            greeting = line; /* the names in it are used on */
            line = NULL;
            size = 0;
            hello = message;
            puts("{\"protocol\":1}");
            fflush(stdout);
            continue;
        }
        for (const Json *start = field(message, "start")->first; start; start = start->next) {
            int slot = number(start, "slot");
            if (slot >= room) {
                tables = realloc(tables, (size_t)(slot + 1) * sizeof *tables);
                memset(tables + room, 0, (size_t)(slot + 1 - room) * sizeof *tables);
                room = slot + 1;
            }
            Table *table = tables + slot;
            if (field(start, "fresh")->number) {
                const Json *about = field(hello, "hello");
                memset(table, 0, sizeof *table);
                table->players = number(about, "players");
                table->game = field(about, "game")->string;
                table->options = field(about, "options");
                table->random_state = (uint64_t)field(start, "seed")->number;
            }
            table->seat = number(start, "seat");
        }
        putchar('[');
        const Json *asked = field(message, "choose")->first;
        for (const Json *question = asked; question; question = question->next) {
            int move = choose(tables + number(question, "slot"), field(question, "view"));
            printf("%s%d", question == asked ? "" : ",", move);
        }
        puts("]");
        fflush(stdout);
        kit_free(message);
    }
    kit_free(hello);
    free(greeting);
    free(line);
    free(tables);
    return 0;
}

#endif
