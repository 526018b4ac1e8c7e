// Compiled with the include path of one layer; INCLUDED names a header of the layer above or below it.
#include INCLUDED
