#!/usr/bin/env python3
"""Make tests/vectors/rng/mt19937.json again: libstdc++'s generator, through a few lines of C++ (needs `c++`).

    mt19937.py           rewrite the file
    mt19937.py --check   write nothing; exit 1 if it would change
"""

import json
import subprocess
import tempfile

import vectors

# The seed, and how many words, doubles and floats; each list from a fresh engine.
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <random>
template <class Draw> void list(const char *name, const char *form, int n, Draw draw) {
  std::printf(",\"%s\":[", name);
  for (int i = 0; i < n; i++) std::printf(i ? "," : ""), std::printf(form, draw());
  std::printf("]");
}
int main(int, char **given) {
  const std::mt19937 fresh(std::strtoul(given[1], nullptr, 10));
  std::mt19937 words = fresh, doubles = fresh, floats = fresh;
  std::uniform_real_distribution<double> wide(0, 1);
  std::uniform_real_distribution<float> narrow(0, 1);
  std::printf("{\"seed\":%s", given[1]);
  list("u32", "%u", std::atoi(given[2]), [&] { return (unsigned)words(); });
  list("double", "\"%a\"", std::atoi(given[3]), [&] { return wide(doubles); });
  list("float", "\"%a\"", std::atoi(given[4]), [&] { return (double)narrow(floats); });
  std::printf("}");
}
"""


def mt19937(document):
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/mt19937"
        subprocess.run(["c++", "-x", "c++", "-", "-o", program], input=PROGRAM, text=True, check=True)
        for case in document["seeds"]:
            asked = [case["seed"], *(len(case[kind]) for kind in ("u32", "double", "float"))]
            case.update(json.loads(subprocess.check_output([program, *map(str, asked)])))


if __name__ == "__main__":
    vectors.remake({"rng/mt19937": mt19937}, __doc__)
