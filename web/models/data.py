"""The text of the model zh: five-character quatrains from the npm package chinese-poetry 2.0.1.

  npm pack chinese-poetry@2.0.1
  python data.py chinese-poetry-2.0.1.tgz FOLDER

writes FOLDER/train.txt and FOLDER/held.txt: a poem a line, its quatrains (one or two) apart by a space, and
FOLDER/vocabulary.txt: the two marks, then the most frequent characters in that order. --check compares them with HASHES.
"""
import collections
import hashlib
import json
import random
import re
import sys
import tarfile
from pathlib import Path

import opencc

TARBALL = "25b549e46919c3a0569db6b68ddc96956b04a484ea4518ad2bbd4f137e307e86"
HASHES = {
    "train.txt": "dd9e43878afdc4d234a807af5223e5dd712524e77f4e5b4523db29cd7a01dd64",
    "held.txt": "118404f5e55ce463717356ead85d8eccf5927e2772feac6d2580d7374142eeeb",
    "vocabulary.txt": "07440f35290730c503940a4e9a06a06f198115e0818e12d1cd0cdcbc587a5969",
}
CHARACTERS = 1600
HELD = 4000
COLLECTIONS = ("quantangshi/poet.", "yudingquantangshi/json/")
HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]{5}")


def poems(tarball):
    """Poems of four or eight lines, each of five Chinese characters, in simplified characters; each once."""
    t2s = opencc.OpenCC("t2s")
    found = {}
    with tarfile.open(tarball) as tar:
        members = {m.name.removeprefix("package/dist/"): m for m in tar if m.name.endswith(".json")}
        for name in sorted(n for n in members if n.startswith(COLLECTIONS)):
            for poem in json.load(tar.extractfile(members[name])):
                text = "".join(poem.get("paragraphs") or [])
                lines = [line for line in re.split("[，。？！；、]", text) if line]
                if len(lines) in (4, 8) and all(HAN.fullmatch(line) for line in lines):
                    lines = [t2s.convert(line) for line in lines]
                    if all(HAN.fullmatch(line) for line in lines):
                        found[tuple(lines)] = None
    return list(found)


def quatrains(poem):
    return [poem[i : i + 4] for i in range(0, len(poem), 4)]


def pairs(quatrain):
    """Its pairs of neighbouring characters within lines: 16, fewer if one comes back."""
    return {line[i : i + 2] for line in quatrain for i in range(4)}


def without_near_duplicates(found):
    """Leaves out a poem if one of its quatrains shares 6 pairs or more with one of a kept poem."""
    kept, holders = [], collections.defaultdict(list)
    number = 0
    for poem in found:
        sets = [pairs(q) for q in quatrains(poem)]
        if any(n >= 6 for s in sets for n in collections.Counter(h for p in s for h in holders[p]).values()):
            continue
        kept.append(poem)
        for s in sets:
            for p in s:
                holders[p].append(number)
            number += 1
    return kept


def text(poem):
    return " ".join("{}，{}。{}，{}。".format(*q) for q in quatrains(poem))


def split(kept):
    """Held-out poems are drawn by seed until HELD quatrains are reached; a poem is never cut."""
    kept = list(kept)
    random.Random(1).shuffle(kept)
    n = at = 0
    while n < HELD:
        n += len(kept[at]) // 4
        at += 1
    return kept[at:], kept[:at]


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def main(tarball, folder, check):
    if sha256(tarball) != TARBALL:
        sys.exit(f"{tarball}: not the package of the recipe")
    found = poems(tarball)
    kept = without_near_duplicates(found)
    train, held = split(kept)
    count = collections.Counter(c for poem in train for line in poem for c in line)
    ordered = sorted(count, key=lambda c: (-count[c], c))
    vocabulary = ["，", "。"] + ordered[:CHARACTERS]
    frequent = set(vocabulary)
    for name, ps in (("found", found), ("kept", kept), ("train", train), ("held", held)):
        qs = [q for poem in ps for q in quatrains(poem)]
        known = sum(all(c in frequent for line in q for c in line) for q in qs)
        print(f"{name}: {len(ps)} poems, {len(qs)} quatrains, {known} of frequent characters alone")
    share = sum(count[c] for c in ordered[:CHARACTERS]) / count.total()
    print(f"characters: {len(ordered)}; the first {CHARACTERS} are {share:.4f} of the text")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "train.txt": "".join(text(p) + "\n" for p in train),
        "held.txt": "".join(text(p) + "\n" for p in held),
        "vocabulary.txt": "".join(vocabulary) + "\n",
    }
    for name, content in files.items():
        (folder / name).write_bytes(content.encode())
        print(name, sha256(folder / name))
        if check and sha256(folder / name) != HASHES[name]:
            sys.exit(f"{name}: not the text of the recipe")


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    main(*arguments, "--check" in sys.argv)
