"""What the scripts of differential runs share: a generator of a seed, and the printing of cases."""
import json
import random
import sys


def arguments():
    """The seed and the number of cases, from the command line."""
    return random.Random(int(sys.argv[1])), int(sys.argv[2])


def mutated(rng, text, alphabet):
    """A text with one to three of its characters removed, replaced, doubled or joined by others."""
    characters = list(text)
    for _ in range(rng.randint(1, 3)):
        if not characters:
            break
        index = rng.randrange(len(characters))
        kind = rng.randrange(4)
        if kind == 0:
            del characters[index]
        elif kind == 1:
            characters[index] = rng.choice(alphabet)
        elif kind == 2:
            characters.insert(index, rng.choice(alphabet))
        else:
            characters.insert(index, characters[index])
    return "".join(characters)


def show(cases):
    json.dump(cases, sys.stdout)
