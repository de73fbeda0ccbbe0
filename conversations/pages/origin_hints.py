"""What forms say about the fields of a filter by origin."""

from django.utils.translation import gettext_lazy as _

from ctxadmin.ui.forms import FieldHint


def origin_hints(path: str) -> dict[str, FieldHint]:
    """The hints of the fields of a filter at ``path`` that say where a message comes from."""
    return {
        f"{path}.nodes": FieldHint(label=_("Only of these nodes"), help=_("One id per line.")),
        f"{path}.tools": FieldHint(
            label=_("Only of these tools"), help=_("Calls and their results; one name per line.")
        ),
        f"{path}.metadata": FieldHint(
            label=_("Only with this metadata"),
            help=_("A JSON object of patterns by key; * matches any text."),
            placeholder='{"trust": "high*"}',
        ),
        f"{path}.older_than": FieldHint(label=_("Only older than")),
        f"{path}.newer_than": FieldHint(label=_("Only newer than")),
        **{
            f"{path}.{age}.{name}": hint
            for age in ("older_than", "newer_than")
            for name, hint in {
                "turns": FieldHint(label=_("Turns"), help=_("A turn begins with a user message.")),
                "messages": FieldHint(label=_("Messages")),
                "minutes": FieldHint(
                    label=_("Minutes"), help=_("Before the latest visible message.")
                ),
            }.items()
        },
        f"{path}.larger_than": FieldHint(label=_("Only larger than"), help=_("Tokens.")),
        f"{path}.has": FieldHint(
            label=_("Only with one of"),
            choices=[
                ("tool_call", _("A tool call")),
                ("image", _("An image")),
                ("pinned", _("A pin")),
                ("comment", _("A comment")),
            ],
        ),
    }
