// Which mutant of the sources runs: all that one build has are compiled in, and a variable of the environment chooses.
#ifndef CMUTANT_H
#define CMUTANT_H

#include <stdbool.h>

// The number that CRYPTORFORMAT_MUTANT has; 0 for the sources as they are.
extern int mutant_chosen;

// One byte for each mutant that execution came to, in the file that CRYPTORFORMAT_MUTANTS_REACHED names.
enum { MUTANT_LIMIT = 65536 };
extern unsigned char *mutant_reached;

// Whether this is the mutant that runs.
static inline bool mutant(int number)
{
    mutant_reached[number] = 1;
    return number == mutant_chosen;
}

#endif
