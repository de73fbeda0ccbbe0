"""The paths of this app's endpoints."""

from django.urls import URLPattern, URLResolver, path

from search.api.views import Search

urlpatterns: list[URLPattern | URLResolver] = [path("search", Search.as_view())]
