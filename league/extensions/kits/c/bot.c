// ABOUT

#include "kit.h"

/* Your turn: return one of the numbers in legal. What the view has is described above, how to read it in kit.h. */
int choose(Table *table, const Json *view) {
    const Json *legal = field(view, "legal");
    return at(legal, random_below(table, length(legal)));
}
