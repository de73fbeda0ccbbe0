"""The settings by their former name, which environments can have in DJANGO_SETTINGS_MODULE."""

from ctxadmin.config.settings import *  # noqa: F403
