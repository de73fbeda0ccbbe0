"""The order of a list's items after two people added, removed and moved some of them."""

from collections.abc import Collection, Sequence

Id = str | int


def merged_order(
    base: Sequence[Id], mine: Sequence[Id], theirs: Sequence[Id], kept: Collection[Id]
) -> list[Id] | None:
    """Returns the ``kept`` ids in an order that respects the changes of both sides.

    Items that all three lists share follow the side that sorted them; every other item follows the
    shared item that it was placed after. Returns None if both sides sorted them differently.
    Swapping the sides changes nothing. Moving an item that the other side removed does not bring it
    back.
    """
    shared = set(base) & set(mine) & set(theirs)
    orders = [[each for each in side if each in shared] for side in (base, mine, theirs)]
    if orders[1] == orders[0]:
        skeleton = orders[2]
    elif orders[2] in (orders[0], orders[1]):
        skeleton = orders[1]
    else:
        return None
    places = {each: place for place, each in enumerate(skeleton, 1)}
    gaps_of_mine = _gaps(mine, places, kept)
    gaps_of_theirs = _gaps(theirs, places, kept)
    result: list[Id] = []
    placed: set[Id] = set()
    for place, each in enumerate((None, *skeleton)):
        if each is not None:
            result.append(each)
        # Both put something here: which comes first must not depend on who is mine.
        for gap in sorted(
            (gaps_of_mine.get(place, []), gaps_of_theirs.get(place, [])), key=_sortable
        ):
            fresh = [new for new in gap if new not in placed]
            result += fresh
            placed.update(fresh)
    return result


def _gaps(side: Sequence[Id], places: dict[Id, int], kept: Collection[Id]) -> dict[int, list[Id]]:
    """Returns the kept items that are not shared, by the position of the shared item before
    them.
    """
    gaps: dict[int, list[Id]] = {}
    place = 0
    for each in side:
        if each in places:
            place = places[each]
        elif each in kept:
            gaps.setdefault(place, []).append(each)
    return gaps


def _sortable(gap: list[Id]) -> list[tuple[str, str]]:
    return [(type(each).__name__, str(each)) for each in gap]
