#include "test.h"
void test_tokens(void) {}
