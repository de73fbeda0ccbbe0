"""The settings of a test run: a folder of its own, quick password hashes, SQLite or MariaDB.

Every process of a run (the one that was started, the workers of ``-n``, servers that tests start)
shares one temporary folder, which is gone at the end. Nothing here reads or writes the data folder
of a person.

Tests of stores and services use Django's default database, which is

- a SQLite *file* in that folder, with the PRAGMAs of the product, so that two connections (threads
  in tests marked ``django_db(transaction=True)``) meet the locks that users meet; or
- a private MariaDB, when ``CTXADMIN_TEST_DATABASE=mariadb`` is set.

So the same tests run on both, without a line of their own about it::

    .venv/bin/pytest tests/integration
    CTXADMIN_TEST_DATABASE=mariadb .venv/bin/pytest tests/integration

``make test`` does both. What only makes sense on one is marked ``@pytest.mark.only("sqlite")`` or
``@pytest.mark.only("mysql")`` and is left out on the other. On MariaDB pages are tested only where
``@pytest.mark.both_databases`` says so, and tests that do not use the default database not at all.
Each worker has its own database.
"""

import os

from tests import servers

_folder = servers.run_folder()
os.environ["CTXADMIN_DATA_DIR"] = str(_folder / "data")
os.environ["CTXADMIN_SECRET_KEY"] = "only-for-tests-" + "0" * 40
for _name in ("DATABASE_URL", "REDIS_URL", "CTXADMIN_DEBUG", "CTXADMIN_ALLOWED_HOSTS"):
    os.environ.pop(_name, None)
# A shared machine is slow at times, and an outage of seconds is what other tests are about.
_PATIENCE = 60  # seconds, for an answer and for a lock
if os.environ.get("CTXADMIN_TEST_DATABASE") == "mariadb":
    _patient = f"?connect_timeout=30&read_timeout={_PATIENCE}&write_timeout={_PATIENCE}"
    os.environ["DATABASE_URL"] = f"{servers.shared('mariadb')}ctxadmin{_patient}"

from ctxadmin.config.settings import *  # noqa: E402, F403
from ctxadmin.config.settings import DATABASES, EMBEDDED  # noqa: E402
from ctxadmin.storage.database.url import session  # noqa: E402 - the environment comes first

ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if EMBEDDED:
    DATABASES["default"]["TEST"] = {"NAME": str(_folder / "test.sqlite3")}
    DATABASES["default"]["OPTIONS"]["timeout"] = _PATIENCE
else:
    DATABASES["default"]["OPTIONS"]["init_command"] = session(_PATIENCE)

# Every client of a test makes the chain of middleware again; to list all static files for each took
# two fifths of the time of a test of pages. So they are looked for when someone asks for one.
WHITENOISE_AUTOREFRESH = True
