/* Bids what bids.txt says a prize is worth. bot.toml says how it is compiled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = -5, MOST = 10, PRIZES = MOST - LEAST + 1 };

/* The legal card nearest to the wanted one; of two, the lower. `legal` points behind the list's bracket: 3,5,8] */
static long nearest(const char *legal, long wanted) {
    long best = 0;
    for (char *end = (char *)legal; *end != ']'; end += *end == ',') {
        long card = strtol(end, &end, 10);
        if (best == 0 || labs(card - wanted) < labs(best - wanted)) best = card;
    }
    return best;
}

int main(void) {
    long bids[PRIZES];
    FILE *file = fopen("bids.txt", "r"); /* the bot's folder is the current one */
    if (!file) return perror("bids.txt"), 1;
    for (int at = 0; at < PRIZES; at++)
        if (fscanf(file, "%ld", &bids[at]) != 1) return fputs("bids.txt is too short\n", stderr), 1;
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        if (strncmp(line, "{\"hello\"", 8) == 0) {
            puts("{\"protocol\": 1}");
        } else {
            const char *comma = "";
            putchar('[');
            for (char *at = line; (at = strstr(at, "\"legal\":[")); comma = ",") {
                at += strlen("\"legal\":[");
                long prize = strtol(strstr(at, "\"prize\":") + strlen("\"prize\":"), NULL, 10);
                if (prize < LEAST) prize = LEAST; /* prizes add up when bids are equal */
                if (prize > MOST) prize = MOST;
                printf("%s%ld", comma, nearest(at, bids[prize - LEAST]));
            }
            puts("]");
        }
        fflush(stdout);
    }
    return 0;
}
