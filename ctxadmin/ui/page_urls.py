"""Paths of the page shell: theme, language, glossary."""

from django.urls import path
from django.views.i18n import set_language

from ctxadmin.ui.glossary import glossary
from ctxadmin.ui.language import island_words
from ctxadmin.ui.theme import choose_theme

urlpatterns = [
    path("theme/", choose_theme, name="theme"),
    path("language/", set_language, name="set_language"),
    path("language/<slug:language>.<slug:digest>.js", island_words, name="island_words"),
    path("glossary/", glossary, name="glossary"),
]
