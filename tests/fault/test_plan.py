"""Plans of faults come from a seed, and leave nothing broken behind."""

from tests.fault.plan import OF_ONE_WORKER, Fault, plan

ALL = tuple(Fault)


def test_a_seed_gives_the_same_plan_again() -> None:
    assert plan("seven", 60, ALL, workers=2) == plan("seven", 60, ALL, workers=2)


def test_another_seed_gives_another_plan() -> None:
    assert plan("seven", 60, ALL) != plan("eight", 60, ALL)


def test_every_fault_is_healed_in_time() -> None:
    for seed in map(str, range(50)):
        planned = plan(seed, 30, ALL, workers=2)
        assert planned
        assert all(each.at + each.lasting <= 30 for each in planned)
        assert [each.at for each in planned] == sorted(each.at for each in planned)


def test_every_kind_strikes_before_all_begins_again() -> None:
    planned = plan("seven", 600, ALL)
    assert {each.fault for each in planned[: len(ALL) + 3]} == set(ALL)


def test_kills_strike_twice_as_often() -> None:
    first = [each.fault for each in plan("seven", 600, ALL)[: len(ALL) + 3]]
    assert first.count(Fault.APP_KILL) == first.count(Fault.SQL_KILL) == 2
    assert first.count(Fault.SQL_STOP) == 1


def test_a_fault_strikes_one_worker_or_what_all_share() -> None:
    for each in plan("seven", 600, ALL, workers=3):
        assert (each.worker in range(3)) if each.fault in OF_ONE_WORKER else each.worker is None


def test_without_faults_nothing_strikes() -> None:
    assert plan("seven", 60, ()) == ()
