/* Private: the names and texts of every enumeration that crosses the API. */
#ifndef SMP_CODES_H
#define SMP_CODES_H

#include "exact.h"

#pragma GCC visibility push(hidden)

/* A row of a table: the enumerator without SMP_, its text, and a third column; each ended by \0. */
#define ROW3(name, text, third) #name "\0" text "\0" third "\0"
#define ROW(name, text)         ROW3(name, text, "")

/* An enumeration. Its rows stand in the order of the values: 0, 1, 2 ...; 0, -1, -2 ...; or 1, 2, 4 ... */
typedef struct code_table {
  const char *kind;
  const char *rows;
  enum { CODES_UP, CODES_DOWN, CODES_BITS } values;
} code_table;

/* codes.c, engine_codes.c, gpt_codes.c: every table, up to one with kind NULL. */
extern const code_table smpi_codes[], smpi_engine_codes[], smpi_gpt_codes[];

/* codes.c: a text of row `row` (from 0): its name (column 0), its text (1), its third column (2); NULL if there is no
   such row. */
const char *smpi_code_text(const char *rows, uint32_t row, uint32_t column);

#pragma GCC visibility pop

#endif
