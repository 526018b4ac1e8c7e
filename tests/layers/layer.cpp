// Compiled with the include path of one layer; INCLUDED names a header of the layer above or below it. A header that is
// found is not read, which would take seconds.
#if !__has_include(INCLUDED)
#include INCLUDED
#endif
