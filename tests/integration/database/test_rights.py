"""Missing rights of a user of MariaDB are reported before a write needs them."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock, patch
from uuid import uuid4

import httpx
import pytest
from django.db import OperationalError
from django.db import connection as owner

from conversations.models import Conversation
from ctxadmin.lib.finding import Finding
from ctxadmin.storage.database import probe, url
from ctxadmin.storage.database.mysql import rights
from ctxadmin.storage.database.mysql.base import DatabaseWrapper
from tests.live_server import PASSWORD, LiveServer
from tests.servers import ROOT

pytestmark = pytest.mark.only("mysql")

TABLE = Conversation._meta.db_table
ALL = "SELECT, INSERT, UPDATE, DELETE"
APPENDED = {"audit_auditentry", "audit_auditanchor", "audit_auditanchoredhead"}
# What an operator calls; one process for all, as each takes seconds to start.
COMMANDS = """
from django.core.management import call_command
call_command("check", databases=["default"])
for name in ("audit_checkpoint", "verify_audit", "verify"):
    call_command(name)
"""


class Weak:
    """A user without rights, and ``operate``, by which root grants it some."""

    def __init__(self, driver: ModuleType, port: int) -> None:
        self.name = f"weak_{uuid4().hex[:12]}"
        self.at = f"{self.name}@'127.0.0.1'"
        self._session = driver.connect(host="127.0.0.1", port=port, user="root")
        self.operate(f"CREATE USER {self.at}")

    def operate(self, *statements: str) -> None:
        for statement in statements:
            self._session.query(statement)

    def grant(self, rights: str, on: str) -> None:
        self.operate(f"GRANT {rights} ON {on} TO {self.at}")

    def rights(self) -> list[str]:
        """What the server says it may do, each without to whom."""
        self._session.query(f"SHOW GRANTS FOR {self.at}")
        rows = self._session.store_result().fetch_row(0)
        return [str(row[0]).partition(" TO ")[0] + " TO" for row in rows]

    def gone(self) -> None:
        self.operate(f"DROP USER {self.at}")
        self._session.close()


@pytest.fixture
def weak(mysql_client: ModuleType) -> Iterator[Weak]:
    made = Weak(mysql_client, int(owner.settings_dict["PORT"]))
    yield made
    made.gone()


@pytest.fixture
def database(transactional_db: None) -> str:
    """The name of the database of the run, with all tables."""
    return str(owner.settings_dict["NAME"])


@pytest.fixture
def find(database: str, weak: Weak) -> Iterator[Callable[[], Finding]]:
    """What the probe finds about the rights of ``weak``, on one connection."""
    settings: dict[str, Any] = {
        **owner.settings_dict,
        **url.parse(f"mysql://{weak.name}@127.0.0.1:{owner.settings_dict['PORT']}/{database}"),
    }
    connection = DatabaseWrapper(settings, "weak")

    def ask() -> Finding:
        connection.close_if_unusable_or_obsolete()  # as at the start of each request
        with patch.object(probe, "connection", connection):
            (found,) = [each for each in probe.findings() if each.check == "database.rights"]
        return found

    yield ask
    connection.close()


def tables() -> list[str]:
    return [table.name for table in probe.granted_tables()]


def test_a_user_who_may_only_read_is_reported_with_grants_that_leave_the_audit_as_it_is(
    weak: Weak, database: str, find: Callable[[], Finding], mysql_client: ModuleType
) -> None:
    weak.grant("SELECT", f"{database}.*")
    found = find()
    assert (found.level, found.excusable) == ("error", False)
    assert found.text == (
        "The user of DATABASE_URL lacks rights: INSERT, UPDATE, DELETE on all tables."
    )
    assert f"GRANT INSERT ON `{database}`.* TO " in found.fix
    query = re.search(r"what this prints: (SELECT .*\));", found.fix)
    assert query
    with _connected(mysql_client, "root", database) as session:
        session.execute(query[1])
        printed = [row[0] for row in session.fetchall()]
    weak.grant("INSERT", f"{database}.*")
    weak.operate(*printed)
    assert find().level == "ok"
    with _connected(mysql_client, weak.name, database) as session:
        for name in APPENDED:
            with pytest.raises(mysql_client.OperationalError, match="denied"):
                session.execute(f"DELETE FROM {name}")
    assert weak.name in found.fix
    assert weak.name not in str(found.as_json())


def test_the_printed_grants_can_be_run_as_they_are(
    weak: Weak, database: str, find: Callable[[], Finding]
) -> None:
    weak.grant("SELECT", f"{database}.django_migrations")
    for table in tables()[1:]:
        weak.grant(ALL, f"{database}.{table}")
    weak.operate(*_statements(find().fix))
    assert find().level == "ok"
    assert set(weak.rights()) >= {f"GRANT {ALL} ON `{database}`.`{tables()[0]}` TO"}


@pytest.mark.parametrize("name", ["o'neil", "a`b", "a@b"])
def test_an_account_of_any_name_is_quoted(name: str) -> None:
    class Cursor:
        def execute(self, statement: str) -> None:
            assert statement == "SELECT CURRENT_USER()"

        def fetchone(self) -> tuple[str]:
            return (f"{name}@10.0.%",)

    connection = MagicMock()
    connection.cursor.return_value.__enter__.return_value = Cursor()
    quoted = name.replace("`", "``")
    assert rights.account_of(connection) == f"`{quoted}`@`10.0.%`"


def test_the_grant_is_seen_at_the_next_request(
    weak: Weak, database: str, find: Callable[[], Finding]
) -> None:
    weak.grant("SELECT, INSERT, UPDATE", f"{database}.*")
    assert "DELETE on all tables" in find().text
    weak.grant("DELETE", f"{database}.*")
    assert find().level == "ok"


def test_rights_by_a_role_count(weak: Weak, database: str, find: Callable[[], Finding]) -> None:
    weak.operate(f"CREATE ROLE {weak.name}_role")
    weak.operate(f"GRANT {ALL} ON {database}.* TO {weak.name}_role")
    weak.operate(f"GRANT {weak.name}_role TO {weak.at}")
    weak.operate(f"SET DEFAULT ROLE {weak.name}_role FOR {weak.at}")
    assert find().level == "ok"
    weak.operate(f"DROP ROLE {weak.name}_role")


def test_rights_on_tables_and_columns_are_reported_by_table(
    weak: Weak, database: str, find: Callable[[], Finding]
) -> None:
    weak.grant("SELECT", f"{database}.django_migrations")
    less = {
        "accounts_user": "SELECT, INSERT (id, password), UPDATE, DELETE",
        "workflows_workflow": "SELECT, INSERT, UPDATE (slug)",
    }
    for table in tables():
        weak.grant(less.get(table, ALL), f"{database}.{table}")
    found = find()
    assert "INSERT on accounts_user;" in found.text
    assert "UPDATE, DELETE on workflows_workflow." in found.text


def test_the_audit_takes_no_right_to_change_or_delete(
    weak: Weak, database: str, find: Callable[[], Finding]
) -> None:
    weak.grant("SELECT, INSERT", f"{database}.*")
    for table in set(tables()) - APPENDED - {"audit_auditreason"}:
        weak.grant("UPDATE, DELETE", f"{database}.{table}")
    found = find()
    assert "lacks rights: UPDATE, DELETE on audit_auditreason." in found.text
    assert f"GRANT UPDATE, DELETE ON `{database}`.`audit_auditreason` TO" in found.fix
    weak.grant("UPDATE, DELETE", f"{database}.audit_auditreason")
    assert find().level == "ok"


def test_many_tables_are_counted(weak: Weak, database: str, find: Callable[[], Finding]) -> None:
    weak.grant("SELECT", f"{database}.django_migrations")
    for table in tables():
        weak.grant("SELECT, INSERT, DELETE", f"{database}.{table}")
    for table in tables()[5:]:
        weak.grant("UPDATE", f"{database}.{table}")
    assert find().text.endswith(f"UPDATE on {', '.join(tables()[:3])} and 2 others.")


def test_it_is_asked_once_a_minute_unless_a_statement_is_denied(
    weak: Weak, database: str, find: Callable[[], Finding]
) -> None:
    weak.grant(ALL, f"{database}.*")
    with patch.object(rights, "find_missing_rights", return_value={}) as asked:
        assert {find().level for _ in range(3)} == {"ok"}
        assert asked.call_count == 1
        DatabaseWrapper({}, "none").noticed(OperationalError(1142, "denied"), 0.0)
        find()
        assert asked.call_count == 2


def test_without_tables_rights_are_asked_for_before_migrations(
    weak: Weak, mariadb_url: str, tmp_path: Path
) -> None:
    database = mariadb_url.rpartition("/")[2]
    server = LiveServer(tmp_path, {"DATABASE_URL": mariadb_url.replace("root@", f"{weak.name}@")})
    weak.grant("SELECT", f"{database}.*")
    with pytest.raises(RuntimeError, match="lacks rights: INSERT, UPDATE, DELETE on all tables"):
        server.manage("check", "--database", "default")
    weak.grant(ALL, f"{database}.*")
    with pytest.raises(RuntimeError, match="not up to date") as refused:
        server.manage("check", "--database", "default")
    assert "lacks rights" not in str(refused.value)


class Prepared(LiveServer):
    """A server whose user may not migrate."""

    def prepare(self) -> None:
        pass


def test_a_server_does_not_start_without_rights_and_notices_when_one_goes(
    weak: Weak, mariadb_of_module: str, tmp_path: Path
) -> None:
    database = mariadb_of_module.rpartition("/")[2]
    LiveServer(tmp_path / "owner", {"DATABASE_URL": mariadb_of_module}).prepare()
    user_url = mariadb_of_module.replace("root@", f"{weak.name}@")
    server = Prepared(tmp_path / "server", {"DATABASE_URL": user_url})
    for table in (*tables(), "django_migrations"):
        weak.grant("SELECT", f"{database}.{table}")
    with pytest.raises(RuntimeError, match=r"cannot serve:\n- The user of DATABASE_URL lacks"):
        server.start()
    for table in tables():
        weak.grant(ALL, f"{database}.{table}")
    with server:
        token = server.make_token("engine")

        def make() -> int:
            with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
                return client.post(f"{server.url}/api/v1/conversations", json={}).status_code

        assert (ready(server), make()) == (200, 201)
        weak.operate(f"REVOKE INSERT ON {database}.{TABLE} FROM {weak.at}")
        assert (make(), ready(server)) == (503, 503)
        weak.grant("INSERT", f"{database}.{TABLE}")
        assert (ready(server), make()) == (200, 201)


def test_the_documented_user_serves_people_and_engines_and_changes_nothing_on_record(
    weak: Weak, mariadb_of_module: str, tmp_path: Path, mysql_client: ModuleType
) -> None:
    database = mariadb_of_module.rpartition("/")[2]
    LiveServer(tmp_path / "owner", {"DATABASE_URL": mariadb_of_module}).prepare()
    user_url = mariadb_of_module.replace("root@", f"{weak.name}@")
    weak.grant("SELECT, INSERT", f"{database}.*")
    with _connected(mysql_client, "root", database) as session:
        for table in _documented_to_change(session, database):
            weak.grant("UPDATE, DELETE", f"{database}.{table}")
    server = Prepared(tmp_path / "server", {"DATABASE_URL": user_url})
    with server, httpx.Client(base_url=server.url, follow_redirects=True, timeout=60) as browser:
        server.make_people()
        _use(server, browser)
        assert ready(server) == 200
        server.manage("shell", "-v", "0", "-c", COMMANDS)
    with _connected(mysql_client, weak.name, database) as session:
        assert session.execute("SELECT 1 FROM audit_auditentry WHERE action = 'session.sign_in'")
        for statement in (
            "UPDATE audit_auditentry SET actor_name = 'nobody'",
            "DELETE FROM audit_auditentry",
            "UPDATE audit_auditanchor SET hash = ''",
            "DELETE FROM audit_auditanchoredhead",
        ):
            with pytest.raises(mysql_client.OperationalError, match="denied") as refused:
                session.execute(statement)
            assert refused.value.args[0] == 1142


def _documented_to_change(session: Any, database: str) -> list[str]:
    """The tables on which the documented query grants UPDATE and DELETE."""
    text = (ROOT / "docs" / "how-to" / "run-in-production.md").read_text()
    start = text.index("SELECT CONCAT('GRANT UPDATE, DELETE")
    query = text[start : text.index("```", start)].replace("'ctxadmin'", f"'{database}'")
    session.execute(query)
    grant = re.compile(r"GRANT .* ON ctxadmin\.(\w+) TO .*;")
    found = [grant.fullmatch(row[0]) for row in session.fetchall()]
    return [each[1] for each in found if each]


def _statements(fix: str) -> list[str]:
    """The statement in a hint, ready to be pasted."""
    run = fix.partition("run ")[2]
    assert run.endswith(";")
    return [each.strip() for each in run.split(";") if each.strip()]


def _use(server: LiveServer, browser: httpx.Client) -> None:
    """A person signs in and exports; an engine appends and edits."""
    page = browser.get("/sign-in/")
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
    assert token
    fields = {"csrfmiddlewaretoken": token[1], "username": "admin", "password": PASSWORD}
    assert "/sign-in" not in browser.post("/sign-in/", data=fields).url.path
    bearer = {"Authorization": f"Bearer {server.make_token('engine', 'design', 'review')}"}
    messages = {"messages": [{"role": "user", "content": "hi"}]}
    cut = {"operation": "truncate", "truncate": {"keep_last": 1}, "reason": "too long"}
    for address, body, status in (
        ("conversations", {"id": "chat", **messages}, 201),
        ("conversations/chat/messages", messages, 201),
        ("conversations/chat/operations", cut, 200),
        ("workflows", {"slug": "flow", "start_with": "chat"}, 201),
    ):
        answer = httpx.post(f"{server.url}/api/v1/{address}", json=body, headers=bearer, timeout=60)
        assert answer.status_code == status, answer.text
    for address in ("/conversations/chat/export/", "/workflows/flow/yaml/"):
        assert browser.get(address).status_code == 200


@contextmanager
def _connected(driver: ModuleType, user: str, database: str) -> Iterator[Any]:
    port = int(owner.settings_dict["PORT"])
    session = driver.connect(host="127.0.0.1", port=port, user=user, database=database)
    with closing(session), closing(session.cursor()) as cursor:
        yield cursor


def ready(server: LiveServer) -> int:
    return httpx.get(f"{server.url}/readyz", timeout=60).status_code
