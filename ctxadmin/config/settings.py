"""Django's settings, all from the environment; the defaults are the embedded server."""

from pathlib import Path
from typing import Any

import django_stubs_ext
from csp.constants import NONE, SELF

from ctxadmin.config import environment
from ctxadmin.realtime.layers import channel_layers
from ctxadmin.storage.database.url import SQLITE
from ctxadmin.storage.redis.cache import caches

# Model fields and querysets with type arguments, as the type checker needs them.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent.parent
DATA_DIR = environment.data_dir()
DATA_DIR_IS_CHOSEN = bool(environment.text("CTXADMIN_DATA_DIR"))
DEBUG = environment.flag("CTXADMIN_DEBUG")
SECRET_KEY = environment.secret_key(DATA_DIR)
SECRET_KEY_FALLBACKS = environment.word_list("CTXADMIN_SECRET_KEY_FALLBACKS")
# The audit's chains: "" makes their key of the secret key. Former keys verify older entries.
AUDIT_KEY = environment.audit_key()
AUDIT_KEY_FALLBACKS = environment.word_list("CTXADMIN_AUDIT_KEY_FALLBACKS")
ALLOWED_HOSTS = environment.word_list("CTXADMIN_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
# Addresses of proxies whose X-Forwarded-For is believed: else all callers have the proxy's address.
TRUSTED_PROXIES = environment.addresses("CTXADMIN_TRUSTED_PROXIES")
CSRF_TRUSTED_ORIGINS = environment.origins("CTXADMIN_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",  # its own table stays empty: see SESSION_ENGINE
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "django_htmx",
    "csp",
    "axes",
    "ctxadmin.config",
    "ctxadmin.ui",
    "ctxadmin.storage",
    "ctxadmin.http",
    "ctxadmin.accounts",
    "ctxadmin.audit",
    "ctxadmin.realtime",
    "conversations",
    "workflows",
    "checkpoints",
    "search",
    "notifications",
    "bulk",
    "demo",
]

MIDDLEWARE = [
    "ctxadmin.http.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "ctxadmin.http.middleware.NoStoreMiddleware",
    "ctxadmin.http.middleware.ProbesMiddleware",
    "csp.middleware.CSPMiddleware",
    "ctxadmin.http.static_files.StaticFilesMiddleware",
    "ctxadmin.accounts.session_use.SessionUseMiddleware",
    "ctxadmin.ui.language.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "ctxadmin.config.urls"
ASGI_APPLICATION = "ctxadmin.config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.debug",
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "ctxadmin.ui.navigation.shell",
            ],
        },
    }
]

DATABASES: dict[str, Any] = {"default": environment.database(DATA_DIR)}
EMBEDDED = DATABASES["default"]["ENGINE"] == SQLITE
environment.make_private(DATA_DIR, Path(DATABASES["default"]["NAME"]) if EMBEDDED else None)
COMMAND_TIMEOUT = environment.number("CTXADMIN_COMMAND_TIMEOUT", 3600, least=5)  # seconds
ALLOW_UNSAFE_DATABASE = environment.flag("CTXADMIN_ALLOW_UNSAFE_DATABASE")
# Functions without arguments that return what they found, for /readyz and the start of a server.
READINESS_PROBES = [
    "ctxadmin.storage.database.probe.findings",
    "ctxadmin.storage.redis.links.findings",
    "ctxadmin.realtime.hubs.findings",
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "ctxadmin.accounts.sign_in_limits.ClosedSignIn",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "login"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours; the page (registration/locked.html) says it
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_HANDLER = "ctxadmin.accounts.sign_in_limits.SignInLimits"
# Failures of all names together from one address within the same time; 0: no limit.
SIGN_IN_FAILURES_PER_ADDRESS = environment.number("CTXADMIN_SIGN_IN_FAILURES_PER_ADDRESS", 20)
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "ctxadmin.accounts.sign_in_limits.show_closed_sign_in"

# Behind TLS the cookies say so; the embedded server speaks plain HTTP on loopback.
HTTPS_ONLY = environment.flag("CTXADMIN_HTTPS")
SESSION_ENGINE = "ctxadmin.accounts.sessions"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS_ONLY
SESSION_COOKIE_NAME = "__Host-ctxadmin" if HTTPS_ONLY else "ctxadmin"
CSRF_COOKIE_NAME = "__Host-csrftoken" if HTTPS_ONLY else "csrftoken"
SESSION_COOKIE_AGE = 12 * 3600  # from the sign-in, whatever is done meanwhile
# Without a use for so long a session ends before; 0: it does not.
SESSION_IDLE_HOURS = environment.number("CTXADMIN_SESSION_IDLE_HOURS", 2, most=12)
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS_ONLY else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = environment.flag("CTXADMIN_HSTS_SUBDOMAINS", default=True)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS_ONLY else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "ctxadmin.ui.error_pages.csrf_failure"
# What a person sees of a request that is refused before Django is asked.
REFUSAL_PAGE = "ctxadmin.ui.refusal_page.refusal_page"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "worker-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}

# Threads that answer requests, each with a database connection of its own.
THREADS = environment.number("CTXADMIN_THREADS", 8, least=1)
# Writes of different conversations that share a transaction at most; 1: each has its own.
TOGETHER = environment.number("CTXADMIN_TOGETHER", 32, least=1)

# Bodies (rest.md, "JSON"); Django must not spool a body that we take to disk.
MAX_BODY_BYTES = environment.number("CTXADMIN_MAX_BODY_BYTES", 16 * 1024**2, least=1024)
MAX_IMPORT_BYTES = environment.number("CTXADMIN_MAX_IMPORT_BYTES", 64 * 1024**2, least=1024)
# Requests that one caller has under way at once, and begins in a second, in one process; 0: no
# limit. A token's are far above what an engine asks for: what they stop is a loop gone wild.
MAX_TOKEN_REQUESTS = environment.number("CTXADMIN_MAX_TOKEN_REQUESTS", 200)
MAX_TOKEN_RATE = environment.number("CTXADMIN_MAX_TOKEN_RATE", 5000)
MAX_PERSON_REQUESTS = environment.number("CTXADMIN_MAX_PERSON_REQUESTS", 64)
MAX_PERSON_RATE = environment.number("CTXADMIN_MAX_PERSON_RATE", 200)
# Of an address: those who are not signed in, and tokens that were not seen to hold yet.
MAX_ADDRESS_REQUESTS = environment.number("CTXADMIN_MAX_ADDRESS_REQUESTS", 200)
MAX_ADDRESS_RATE = environment.number("CTXADMIN_MAX_ADDRESS_RATE", 200)
# Bodies of more than 64 KiB that one process holds at once.
_LEAST_BODIES = max(MAX_BODY_BYTES, MAX_IMPORT_BYTES + 64 * 1024)
MAX_BODIES_BYTES = environment.number(
    "CTXADMIN_MAX_BODIES_BYTES", max(256 * 1024**2, _LEAST_BODIES), least=_LEAST_BODIES
)
# Units of work of a call that tries filters, about 0.1 microseconds each (work_budget.py).
# Previews look at stored state, which may be larger than a body, and need a scope.
MAX_WORK = environment.number("CTXADMIN_MAX_WORK", 10_000_000, least=100_000)
MAX_PREVIEW_WORK = 4 * MAX_WORK
MAX_STATE_BYTES = 10 * 1024**2
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_IMPORT_BYTES + 1024**2
FILE_UPLOAD_MAX_MEMORY_SIZE = MAX_IMPORT_BYTES + 1024**2
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "ctxadmin.http.endpoints.authentication.BearerAuthentication",
        "ctxadmin.http.endpoints.authentication.BrowserAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["ctxadmin.http.endpoints.authentication.ActorPermission"],
    "DEFAULT_PARSER_CLASSES": ["ctxadmin.http.endpoints.json_body.StrictJsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["ctxadmin.http.endpoints.renderers.JsonRenderer"],
    "EXCEPTION_HANDLER": "ctxadmin.http.problems.exception_handler",
    "DEFAULT_SCHEMA_CLASS": "ctxadmin.http.openapi.Schema",
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "ctxadmin.http.endpoints.renderers.JsonNegotiation",
    "DEFAULT_METADATA_CLASS": None,
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "ctxadmin",
    "DESCRIPTION": "The control plane for the context of LLM agent workflows.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": False,
    "POSTPROCESSING_HOOKS": ["ctxadmin.http.openapi.add_components"],
}

# The live copy (semantics 3.10). It may lose everything at any time, like the cache there.
# Only told, on the page of erasure: for how many days backups are kept; 0 is not known.
BACKUP_DAYS = environment.number("CTXADMIN_BACKUP_DAYS", 0, least=0, most=36_500)
LIVE_REDIS = environment.redis("REDIS_URL")
_TEN_YEARS = 3_650 * 86_400
LIVE_CHECKPOINT_SECONDS = environment.number(
    "CTXADMIN_CHECKPOINT_EXPIRY", 7 * 86_400, least=60, most=_TEN_YEARS
)
LIVE_EXECUTION_SECONDS = environment.number(
    "CTXADMIN_EXECUTION_EXPIRY", 86_400, least=60, most=_TEN_YEARS
)

# How processes learn of each other's changes: by the Redis of the copies unless it has its own.
CHANNEL_REDIS = environment.redis("CHANNEL_REDIS_URL") or LIVE_REDIS
CHANNEL_LAYERS = channel_layers(CHANNEL_REDIS)

# Where people reach the server, for links in what leaves it; "" if nobody said.
PUBLIC_URL = environment.public_url()
# Mail is sent if there is a server for it; Django's own settings hold what EMAIL_URL says.
_MAIL = environment.mail()
MAIL = bool(_MAIL)
EMAIL_TIMEOUT = 10
globals().update(_MAIL)
# Private networks that webhooks may go to; public ones they always may.
WEBHOOK_NETWORKS = environment.networks("CTXADMIN_WEBHOOK_NETWORKS")

# What workspaces keep whose admins did not choose; what is None is kept for ever.
RETENTION = {
    "keep_last": environment.number_or_none("CTXADMIN_KEEP_LAST", least=1, most=1_000_000),
    "hourly_days": environment.number_or_none("CTXADMIN_KEEP_HOURLY_DAYS", least=0, most=3_650),
    "archive_after_days": environment.number_or_none(
        "CTXADMIN_ARCHIVE_AFTER_DAYS", least=1, most=36_500
    ),
    "erase_after_days": environment.number_or_none(
        "CTXADMIN_ERASE_AFTER_DAYS", least=1, most=36_500
    ),
    "remove_tokens_after_days": environment.number_or_none(
        "CTXADMIN_REMOVE_TOKENS_AFTER_DAYS", least=1, most=36_500
    ),
}

CACHES = caches(LIVE_REDIS)

# Metrics: the token that opens them, and where workers count together; else each for itself.
METRICS_TOKEN = environment.metrics_token()
METRICS_FOLDER = environment.metrics_folder()
TRACES = environment.traces()

LANGUAGE_CODE = "en"
# A language is offered when its catalogue is complete, by the name that its readers give it.
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["ctxadmin.ui.formats"]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = HTTPS_ONLY
LANGUAGE_COOKIE_HTTPONLY = True
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(environment.text("CTXADMIN_STATIC_ROOT") or DATA_DIR / "static")
STATIC_ROOT.mkdir(mode=0o700, parents=True, exist_ok=True)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "ctxadmin.http.static_files.VersionedStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# Events with ids as JSON or for the eye. Requests are events of the first only: a person who looks
# at a terminal wants to see what goes wrong.
LOG_FORMAT = environment.choice("CTXADMIN_LOG_FORMAT", "line", "json")
_FORMATTER = (
    "ctxadmin.telemetry.logs." + {"line": "LineFormatter", "json": "JsonFormatter"}[LOG_FORMAT]
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"told": {"()": _FORMATTER}},
    "filters": {"losses": {"()": "ctxadmin.realtime.losses.Losses"}} if CHANNEL_REDIS else {},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "told"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "ctxadmin": {"level": "INFO"},
        "ctxadmin.access": {"level": "INFO" if LOG_FORMAT == "json" else "WARNING"},
        "channels_redis.pubsub": {"filters": ["losses"] if CHANNEL_REDIS else []},
        # What it says of failed sign-ins stands in an event of our own, with name and address.
        "axes": {"level": "ERROR"},
        "django": {"handlers": [], "propagate": True},
        "django.request": {"level": "ERROR"},
        "uvicorn": {"handlers": [], "propagate": True, "level": "WARNING"},
        # It quotes headers that it cannot read, which may hold a token.
        "opentelemetry.util.re": {"level": "ERROR"},
        # Its lines hold paths and query strings.
        "uvicorn.access": {"handlers": [], "propagate": False},
    },
}

# What "check --deploy" need not ask: the proxy leads plain HTTP to HTTPS (deploy/nginx), and if a
# domain is put on the browsers' list of HTTPS-only ones is for its owner to say.
SILENCED_SYSTEM_CHECKS = ["security.W008", "security.W021"]
