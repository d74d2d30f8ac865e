#include "test.h"
void test_gpt_file(void) {}
