"""All paths: pages, the REST contract, health, the operator's admin."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.decorators.csrf import csrf_exempt

from ctxadmin.http import health
from ctxadmin.http.endpoints.endpoint import unknown_path
from ctxadmin.http.scrape import metrics_view
from ctxadmin.ui.accounts.leaving import SignOut
from ctxadmin.ui.accounts.sign_in import SignIn

api_patterns: list[URLPattern | URLResolver] = [
    path("", include("conversations.api.urls")),
    path("", include("workflows.api.urls")),
    path("", include("checkpoints.api.urls")),
    path("", include("search.api.urls")),
    path("", include("notifications.api.urls")),
    path("", include("bulk.api.urls")),
    path("", include("ctxadmin.http.audit.urls")),
    re_path(r"^.*$", csrf_exempt(unknown_path)),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include(api_patterns)),
    path("api/", include("ctxadmin.ui.docs_urls")),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics_view, name="metrics"),
    path("sign-in/", SignIn.as_view(), name="login"),
    path("sign-out/", SignOut.as_view(), name="logout"),
    path("operator/", admin.site.urls),
    path("", include("ctxadmin.ui.page_urls")),
    path("", include("ctxadmin.ui.accounts.urls")),
    path("", include("ctxadmin.ui.audit.urls")),
    path("", include("conversations.pages.urls")),
    path("", include("workflows.pages.urls")),
    path("", include("checkpoints.pages.urls")),
    path("", include("search.pages.urls")),
    path("", include("notifications.pages.urls")),
    path("", include("bulk.pages.urls")),
]

handler400 = "ctxadmin.ui.error_pages.bad_request"
handler403 = "ctxadmin.ui.error_pages.forbidden"
handler404 = "ctxadmin.ui.error_pages.not_found"
handler500 = "ctxadmin.ui.error_pages.server_error"
