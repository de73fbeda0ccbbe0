"""The name of a conversation in templates: ``{{ conversation|display_name }}``."""

from django import template

from conversations.models import Conversation
from conversations.reading import display_names

register = template.Library()


@register.filter
def display_name(head: Conversation) -> str:
    """Returns its name; the view of a list reads the names of all before."""
    return display_names.display_name(head)
