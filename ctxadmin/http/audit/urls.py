"""The path of the audit in the contract."""

from django.urls import path

from ctxadmin.http.audit.views import Audit

urlpatterns = [path("audit", Audit.as_view())]
