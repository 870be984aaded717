// Chooses the mutant that runs: one build contains many, and an environment variable selects one of
// them.
#ifndef CMUTANT_H
#define CMUTANT_H

#include <stdbool.h>

// The number in CRYPTORFORMAT_MUTANT; 0 for the sources as they are.
extern int mutant_chosen;

// One byte for each mutant, set once execution reaches it, in the file that
// CRYPTORFORMAT_MUTANTS_REACHED names.
enum { MUTANT_LIMIT = 65536 };
extern unsigned char *mutant_reached;

// Whether this is the mutant that runs.
static inline bool mutant(int number)
{
    mutant_reached[number] = 1;
    return number == mutant_chosen;
}

#endif
