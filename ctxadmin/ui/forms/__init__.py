"""Django forms made from the models of the contract."""

from ctxadmin.ui.forms.contract_form import ContractForm
from ctxadmin.ui.forms.hints import FieldHint, Hints, ShownWhen, Tile

__all__ = ["ContractForm", "FieldHint", "Hints", "ShownWhen", "Tile"]
