"""Django forms made from the models of the contract."""

from ctxadmin.web.forms.contract_form import ContractForm
from ctxadmin.web.forms.hints import FieldHint, Hints, ShownWhen

__all__ = ["ContractForm", "FieldHint", "Hints", "ShownWhen"]
