"""The paths of this app's endpoints."""

from django.urls import URLPattern, URLResolver, path

from workflows.api import (
    backtest_views,
    cost_views,
    dry_run_views,
    import_view,
    registry_views,
    views,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("workflows", views.Workflows.as_view()),
    path("workflows/import", import_view.ImportYaml.as_view()),
    path("workflows/<str:slug>", views.OneWorkflow.as_view()),
    path("workflows/<str:slug>/draft", views.Draft.as_view()),
    path("workflows/<str:slug>/publish", views.PublishDraft.as_view()),
    path("workflows/<str:slug>/versions", views.Versions.as_view()),
    path("workflows/<str:slug>/versions/<int:number>", views.OneVersion.as_view()),
    path("workflows/<str:slug>/diff", views.Diff.as_view()),
    path("workflows/<str:slug>/yaml", views.Yaml.as_view()),
    path("workflows/<str:slug>/preview", dry_run_views.Preview.as_view()),
    path("workflows/<str:slug>/costs", cost_views.Costs.as_view()),
    path("backtests", backtest_views.Backtests.as_view()),
    path("backtests/<str:backtest_id>", backtest_views.OneBacktest.as_view()),
    path("filters/apply", dry_run_views.Apply.as_view()),
    path("filters/join", dry_run_views.Join.as_view()),
    path("conditions/check", dry_run_views.Check.as_view()),
    path("processors", registry_views.Processors.as_view()),
    path("transforms", registry_views.Transforms.as_view()),
    path("reducers", registry_views.Reducers.as_view()),
    path("schemas", registry_views.Schemas.as_view()),
    path("schemas/<str:name>", registry_views.OneSchema.as_view()),
]
