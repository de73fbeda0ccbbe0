"""The settings by their former name, which environments may have in DJANGO_SETTINGS_MODULE."""

from ctxadmin.config.settings import *  # noqa: F403
