// Four chains in vectors of 128 bits, which every processor of the last twenty years has.
#define LANES 4
#include "chains_vector.h"

CLEANSES_REGISTERS void cpbkdf2_iterate_4_portable(struct lanes *lanes, uint32_t steps)
{
    iterate(lanes, steps);
}
