"""Cases of options in which every two values of different options meet."""

import itertools


def pairwise_cases(options, rng, usable=lambda case: case):
    """Cases, chosen greedily among random ones, until every two values of different options have met.

    options  the values of each, which can be hashed
    usable   the case with what has to be changed for it to be run, or None where it cannot be
    """
    def pairs(case):
        return {(x, y) for x, y in itertools.combinations(case.items(), 2)}

    possible = set()
    for x, y in itertools.combinations(options, 2):
        for values in itertools.product(options[x], options[y]):
            given = dict(zip((x, y), values))
            for _ in range(40):  # with some values of the other options it is usable, or never
                whole = usable({o: rng.choice(v) for o, v in options.items()} | given)
                if whole and whole.items() >= given.items():
                    possible.add(((x, given[x]), (y, given[y])))
                    break
    while possible:
        start = dict(next(iter(sorted(possible, key=repr))))
        candidates = []
        while not candidates:  # few of the other options' values may go with these two
            drawn = (usable({o: rng.choice(v) for o, v in options.items()} | start) for _ in range(60))
            candidates = [c for c in drawn if c]
        best = max(candidates, key=lambda c: len(pairs(c) & possible))
        if not pairs(best) & possible:
            continue
        possible -= pairs(best)
        yield best
