/* A stable radix sort of places by 32-bit keys, for engines whose sort is stable. */
#include "sort.h"

enum { DIGITS = 4, VALUES = 256 }; /* bytes of a key, and of a byte */

/* From how many keys have each value of a digit to how many have a smaller one. */
static void add_up(uint32_t count[VALUES]) {
  for (uint32_t value = 0, sum = 0; value < VALUES; value++) {
    const uint32_t here = count[value];
    count[value] = sum;
    sum += here;
  }
}

/* Deal the places out by one digit; neither list need be aligned. */
static void deal(const uint32_t *keys, int digit, uint32_t before[VALUES], const void *from, void *to, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t place;
    memcpy(&place, (const char *)from + i * sizeof place, sizeof place);
    memcpy((char *)to + before[keys[place] >> 8 * digit & (VALUES - 1)]++ * sizeof place, &place, sizeof place);
  }
}

void smpi_sort_places(const uint32_t *keys, uint32_t *places, void *spare, size_t n) {
  uint32_t count[DIGITS][VALUES] = {{0}}, all = 0;
  for (size_t i = 0; i < n; i++) {
    const uint32_t key = keys[places[i]];
    all |= key;
    for (int digit = 0; digit < DIGITS; digit++) count[digit][key >> 8 * digit & (VALUES - 1)]++;
  }
  for (int digit = 0; digit < DIGITS && all >> 8 * digit; digit += 2) {
    add_up(count[digit]);
    add_up(count[digit + 1]);
    deal(keys, digit, count[digit], places, spare, n);
    deal(keys, digit + 1, count[digit + 1], spare, places, n);
  }
}
