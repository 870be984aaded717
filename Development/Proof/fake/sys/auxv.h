// What Linux tells a program of its processor: getauxval(3). processor.cpp sets the bits.
#pragma once

inline const unsigned long AT_HWCAP = 16;
inline unsigned long hardwareBits;
inline unsigned long getauxval(unsigned long type)
{
    return type == AT_HWCAP ? hardwareBits : ~0ul;
}
