"""The labels on the path to a part of a contract, for lists of problems outside of its form."""

from functools import cache
from typing import Any

from django.utils.text import format_lazy

from ctxadmin.ui.components import Text
from ctxadmin.ui.forms.contract_form import ContractForm
from ctxadmin.ui.forms.fields import label_of
from ctxadmin.ui.forms.shape import FormMember, Group, Leaf, Rows, Shape, shape_of


def trail(form: type[ContractForm[Any]], pointer: str, root: str) -> tuple[list[Text], str]:
    """Returns the labels of the groups, rows and field at ``pointer``, and the field's name.

    They go as far as the form has parts; the name is "" without a single field.
    """
    shape: Shape = _shape(form)
    labels: list[Text] = []
    names = [root]
    member: FormMember | None = None
    for step in pointer.split("/")[1:]:
        if isinstance(shape, Group):
            member = next((each for each in shape.members if each.name == step), None)
            if member is None:
                break
            labels.append(member.hint.label or label_of(member.name))
            shape = member.shape
        elif isinstance(shape, Rows) and member is not None and step.isdigit():
            label = member.hint.row_label or labels[-1]
            labels[-1] = format_lazy("{} {}", label, int(step) + 1)
            shape = shape.item
        else:
            break
        names.append(step)
    return labels, "-".join(names) if isinstance(shape, Leaf) else ""


@cache
def _shape(form: type[ContractForm[Any]]) -> Shape:
    return shape_of(form.contract, form.hints, form.left_out)
