"""Which settings of a server are right, and the findings about wrong ones."""

import pytest

from ctxadmin.lib.finding import Finding
from ctxadmin.storage.database.mysql.rules import findings_of

RIGHT = {
    "version": "10.11.19-MariaDB-0+deb12u1",
    "innodb_flush_log_at_trx_commit": "1",
    "log_bin": "ON",
    "sync_binlog": "1",
    "innodb_doublewrite": "ON",
    "innodb_flush_method": "O_DIRECT",
    "max_allowed_packet": str(64 * 1024**2),
    "wsrep_on": "OFF",
    "read_only": "OFF",
    "tx_isolation": "READ-COMMITTED",
    "sql_mode": "STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION",
    "character_set_database": "utf8mb4",
    "character_set_connection": "utf8mb4",
    "default_storage_engine": "InnoDB",
}


def wrong(**changed: str) -> dict[str, Finding]:
    """What is not right when these variables are changed."""
    found = findings_of(RIGHT | changed)
    return {each.check: each for each in found if each.level != "ok"}


def test_a_server_with_all_settings_right_has_no_fault() -> None:
    assert wrong() == {}


@pytest.mark.parametrize(
    ("name", "value", "check"),
    [
        ("innodb_flush_log_at_trx_commit", "0", "database.commit"),
        ("innodb_flush_log_at_trx_commit", "2", "database.commit"),
        ("sync_binlog", "0", "database.binlog"),
        ("sync_binlog", "100", "database.binlog"),
        ("innodb_doublewrite", "OFF", "database.pages"),
        ("innodb_doublewrite", "DETECT_ONLY", "database.pages"),
        ("innodb_flush_method", "nosync", "database.flush"),
        ("debug_no_sync", "ON", "database.flush"),
        ("max_allowed_packet", str(16 * 1024**2), "database.packet"),
        ("global max_allowed_packet", str(16 * 1024**2), "database.packet"),
    ],
)
def test_what_can_lose_an_acknowledged_write_is_an_error_that_can_be_excused(
    name: str, value: str, check: str
) -> None:
    found = wrong(**{name: value})
    assert list(found) == [check]
    assert found[check].level == "error"
    assert found[check].fix
    assert found[check].as_warning().level == "warning"


@pytest.mark.parametrize(
    ("name", "value", "check"),
    [
        ("read_only", "ON", "database.writable"),
        ("super_read_only", "1", "database.writable"),
        ("tx_isolation", "REPEATABLE-READ", "database.isolation"),
        ("transaction_isolation", "SERIALIZABLE", "database.isolation"),
        ("sql_mode", "NO_ENGINE_SUBSTITUTION", "database.strict"),
        ("character_set_database", "latin1", "database.charset"),
        ("schema character_set_database", "latin1", "database.charset"),
        ("default_storage_engine", "MyISAM", "database.engine"),
        ("global default_storage_engine", "MyISAM", "database.engine"),
        ("version", "10.5.23-MariaDB", "database.version"),
        ("version", "5.7.44-log", "database.version"),
        ("version", "8.0.10", "database.version"),
        ("version", "?", "database.version"),
    ],
)
def test_what_cannot_be_served_truthfully_has_no_excuse(name: str, value: str, check: str) -> None:
    found = wrong(**{name: value})
    assert list(found) == [check]
    assert found[check].as_warning().level == "error"


@pytest.mark.parametrize(
    "version", ["10.6.0-MariaDB", "11.8.3-MariaDB-log", "8.0.11", "8.4.6", "9.1.0"]
)
def test_newer_servers_are_supported(version: str) -> None:
    assert wrong(version=version) == {}


def test_without_a_binary_log_nothing_has_to_be_flushed_to_it() -> None:
    assert wrong(log_bin="OFF", sync_binlog="0") == {}


def test_servers_that_all_take_writes_are_reported() -> None:
    galera = {"wsrep_on": "ON", "wsrep_cluster_address": "gcomm://a,b"}
    group = {
        "group_replication_group_name": "aaaa",
        "group_replication_single_primary_mode": "OFF",
    }
    assert list(wrong(**galera)) == ["database.writer"]
    assert list(wrong(**group)) == ["database.writer"]
    assert wrong(**group | {"group_replication_single_primary_mode": "ON"}) == {}


def test_tables_of_another_engine_are_named() -> None:
    (found,) = [each for each in findings_of(RIGHT, ["old_table"]) if each.level == "error"]
    assert "old_table" in found.text
