"""The paths of the page of results, and of what the palette asks for."""

from django.urls import URLPattern, URLResolver, path

from search.pages import palette, results

urlpatterns: list[URLPattern | URLResolver] = [
    path("search/", results.results, name="search"),
    path("search/palette/", palette.suggestions, name="search-palette"),
]
