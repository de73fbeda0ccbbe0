"""The settings by the name that servers of 0.1 hand on to what they start for a reload."""

from ctxadmin.config.settings import *  # noqa: F403
