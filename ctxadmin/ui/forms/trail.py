"""The labels on the path to a part of a contract, for lists of problems outside of its form."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.utils.text import format_lazy
from pydantic.alias_generators import to_snake

from ctxadmin.ui.components import Text
from ctxadmin.ui.forms.contract_form import ContractForm
from ctxadmin.ui.forms.fields import label_of
from ctxadmin.ui.forms.shape import FormMember, Group, Leaf, Rows, Shape, shape_of


@dataclass(frozen=True, slots=True)
class Trail:
    """The labels of the groups, rows and field at a pointer, and the name of the field.

    The steps that the form does not have come last, as they are written; ``known`` are the members
    of the group where the first of them was looked for. The field of a group is its first one.
    """

    labels: Sequence[Text]
    name: str
    known: Sequence[str]


def trail(form: type[ContractForm[Any]], pointer: str, root: str) -> Trail:
    """Returns the trail to ``pointer``; without a label if the form has none of it."""
    shape: Shape = _shape(form)
    labels: list[Text] = []
    names = [root]
    member: FormMember | None = None
    steps = pointer.split("/")[1:]
    for place, step in enumerate(steps):
        if isinstance(shape, Group) and (found := _member(shape, step)) is not None:
            member, shape = found, found.shape
            labels.append(member.hint.label or label_of(member.name))
            names.append(member.name)
        elif isinstance(shape, Rows) and member is not None and step.isdigit():
            label = member.hint.row_label or labels[-1]
            labels[-1] = format_lazy("{} {}", label, int(step) + 1)
            shape = shape.item
            names.append(step)
        elif labels:
            known = [each.name for each in shape.members] if isinstance(shape, Group) else []
            return Trail([*labels, *steps[place:]], _name(names, shape), known)
        else:
            return Trail([], "", [each.name for each in _shape(form).members])
    return Trail(labels, _name(names, shape), [])


def _member(group: Group, step: str) -> FormMember | None:
    spellings = (step, to_snake(step))
    return next((each for each in group.members if each.name in spellings), None)


def _name(names: Sequence[str], shape: Shape) -> str:
    """Returns the name of a field, or of the first one of a group; "" for none."""
    while isinstance(shape, Group) and shape.members:
        first = shape.members[0]
        names, shape = [*names, first.name], first.shape
    return "-".join(names) if isinstance(shape, Leaf) else ""


@cache
def _shape(form: type[ContractForm[Any]]) -> Group:
    return shape_of(form.contract, form.hints, form.left_out)
