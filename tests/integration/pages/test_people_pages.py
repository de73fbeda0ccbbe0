"""The settings pages of people: who may sign in, with which role, by which password."""

import re
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from ctxadmin.accounts.models import Membership, User
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role
from tests.factories import member, signed_in

pytestmark = pytest.mark.django_db

ANNA = {"name": "anna", "role": "reviewer"}


def text(answer: Any) -> str:
    return str(answer.content.decode())


def password_in(answer: Any) -> str:
    found = re.search(r"<pre[^>]*>(?:<code[^>]*>)?([\w-]{16})<", text(answer))
    assert found is not None, text(answer)
    return found[1]


def add(admin: Client, **wanted: str) -> str:
    """The first password of someone new."""
    made = admin.post("/settings/people/+new/", ANNA | wanted)
    assert made.status_code == 200
    assert "no-store" in made["Cache-Control"]
    return password_in(made)


def entered(name: str, password: str) -> Client | None:
    """A browser of who signed in by the page, None if the page refused."""
    client = Client()
    answer = client.post("/sign-in/", {"username": name, "password": password})
    return client if answer.status_code == 302 else None


def settled(admin: Client, name: str = "anna", role: str = "reviewer") -> Client:
    """A browser of someone who chose a password of their own."""
    password = add(admin, name=name, role=role)
    client = entered(name, password)
    assert client is not None
    own = "a sentence that nobody knows"
    fields = {"old_password": password, "new_password1": own, "new_password2": own}
    assert client.post("/account/", fields).status_code == 302
    return client


def test_who_is_added_chooses_a_password_before_anything_else(admin: Client) -> None:
    client = entered("anna", add(admin))
    assert client is not None
    assert client.get("/conversations/")["Location"] == "/account/"
    assert client.get("/api/v1/conversations").status_code in {401, 403}
    assert "Choose your own password" in text(client.get("/account/"))


def test_with_an_own_password_everything_of_the_role_opens(admin: Client) -> None:
    client = settled(admin)
    assert client.get("/reviews/").status_code == 200
    assert client.get("/settings/people/").status_code == 403
    assert not User.objects.get(username="anna").must_change_password


def test_the_list_tells_everyone_with_role_and_status(admin: Client) -> None:
    add(admin, name="zoe", role="designer")
    html = text(admin.get("/settings/people/"))
    assert "zoe" in html
    assert "designer" in html
    assert "has not chosen a password yet" in html
    assert html.count("(you)") == 1


@pytest.mark.parametrize("taken", ["anna", "ANNA"])
def test_a_name_that_is_taken_is_refused_at_its_field(admin: Client, taken: str) -> None:
    add(admin)
    answer = admin.post("/settings/people/+new/", ANNA | {"name": taken})
    assert answer.status_code == 422
    assert "username is taken" in text(answer)
    assert User.objects.filter(username__iexact="anna").count() == 1


@pytest.mark.parametrize(
    "wrong",
    [{"name": ""}, {"name": "a b"}, {"name": "+new"}, {"name": ".."}, {"name": "<b>"},
     {"name": "x" * 65}, {"role": "root"}],
)  # fmt: skip
def test_a_wrong_wish_adds_no_one(admin: Client, wrong: dict[str, str]) -> None:
    before = User.objects.count()
    assert admin.post("/settings/people/+new/", ANNA | wrong).status_code == 422
    assert User.objects.count() == before


def test_a_role_is_changed_and_holds_at_once(admin: Client) -> None:
    client = settled(admin)
    fields = {"role": "admin", "seen": "reviewer"}
    assert admin.post("/settings/people/anna/", fields).status_code == 302
    assert client.get("/settings/people/").status_code == 200


def test_a_role_that_someone_changed_meanwhile_is_not_overwritten(admin: Client) -> None:
    add(admin)
    Membership.objects.filter(user__username="anna").update(role="viewer")
    answer = admin.post("/settings/people/anna/", {"role": "admin", "seen": "reviewer"})
    assert answer.status_code == 409
    assert "Someone else changed the role" in text(answer)
    assert Membership.objects.get(user__username="anna").role == "viewer"


def test_the_last_administrator_stays_one(admin: Client) -> None:
    own = User.objects.get().username
    answer = admin.post(f"/settings/people/{own}/", {"role": "viewer", "seen": "admin"})
    assert answer.status_code == 409
    assert "only admin" in text(answer)
    assert Membership.objects.get().role == "admin"


def test_a_locked_administrator_is_no_one_to_rely_on(admin: Client) -> None:
    own = User.objects.get().username
    add(admin, name="second", role="admin")
    assert admin.post("/settings/people/second/lock/").status_code == 302
    answer = admin.post(f"/settings/people/{own}/", {"role": "viewer", "seen": "admin"})
    assert answer.status_code == 409


def test_who_is_locked_out_is_out_at_once_and_may_be_let_in_again(admin: Client) -> None:
    client = settled(admin)
    assert "signed out at once" in text(admin.get("/settings/people/anna/lock/"))
    assert admin.post("/settings/people/anna/lock/").status_code == 302
    assert client.get("/reviews/")["Location"].startswith("/sign-in/")
    assert entered("anna", "a sentence that nobody knows") is None
    assert "deactivated" in text(admin.get("/settings/people/"))
    assert admin.post("/settings/people/anna/unlock/").status_code == 302
    assert entered("anna", "a sentence that nobody knows") is not None


def test_a_renewed_password_ends_what_was_open_and_is_a_first_one_again(admin: Client) -> None:
    client = settled(admin)
    made = admin.post("/settings/people/anna/password/")
    assert client.get("/reviews/")["Location"].startswith("/sign-in/")
    assert entered("anna", "a sentence that nobody knows") is None
    again = entered("anna", password_in(made))
    assert again is not None
    assert again.get("/reviews/")["Location"] == "/account/"


@pytest.mark.parametrize("act", ["password", "lock", "unlock"])
def test_no_one_does_it_to_themself(admin: Client, act: str) -> None:
    own = User.objects.get().username
    assert admin.post(f"/settings/people/{own}/{act}/").status_code == 409
    assert User.objects.get().is_active


@pytest.mark.parametrize("act", ["password", "lock"])
def test_the_operator_is_not_an_administrators_to_change(admin: Client, act: str) -> None:
    add(admin, name="root", role="admin")
    User.objects.filter(username="root").update(is_superuser=True)
    before = User.objects.get(username="root").password
    assert admin.post(f"/settings/people/root/{act}/").status_code == 409
    after = User.objects.get(username="root")
    assert (after.password, after.is_active) == (before, True)
    assert "manage.py changepassword" in text(admin.get("/settings/people/root/"))


@pytest.mark.parametrize("act", ["password", "lock"])
def test_who_belongs_to_other_workspaces_is_not_one_workspaces_to_change(
    admin: Client, act: str
) -> None:
    add(admin)
    other = member("theirs", Role.ADMIN, "elsewhere")
    row = Membership.objects.get(user=other)
    Membership.objects.create(
        workspace=row.workspace, user=User.objects.get(username="anna"), role="viewer"
    )
    assert admin.post(f"/settings/people/anna/{act}/").status_code == 409
    assert User.objects.get(username="anna").is_active


def test_people_of_other_workspaces_are_not_there(admin: Client) -> None:
    member("theirs", Role.REVIEWER, "elsewhere")
    assert "theirs" not in text(admin.get("/settings/people/"))
    for path in ("", "lock/", "unlock/", "password/"):
        assert admin.get(f"/settings/people/theirs/{path}").status_code == 404
        assert admin.post(f"/settings/people/theirs/{path}", ANNA).status_code == 404


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.DESIGNER])
def test_only_administrators_manage_people(role: Role) -> None:
    client = signed_in(role)
    own = User.objects.get().username
    for path in ("", "+new/", f"{own}/", f"{own}/lock/", f"{own}/password/"):
        assert client.get(f"/settings/people/{path}").status_code == 403
        assert client.post(f"/settings/people/{path}", ANNA).status_code in {403, 405}
    assert Membership.objects.get().role == role.value


def test_each_change_is_on_record_without_a_password(admin: Client) -> None:
    password = add(admin)
    admin.post("/settings/people/anna/", {"role": "designer", "seen": "reviewer"})
    renewed = password_in(admin.post("/settings/people/anna/password/"))
    admin.post("/settings/people/anna/lock/")
    admin.post("/settings/people/anna/unlock/")
    rows = list(AuditEntry.objects.filter(action="member.manage").order_by("seq").values())
    whats = [re.search(r'"what":"([^"]+)"', bytes(row["detail"]).decode()) for row in rows]
    assert [found[1] for found in whats if found] == [
        "added", "role changed", "password renewed", "locked", "unlocked",
    ]  # fmt: skip
    assert password not in repr(rows)
    assert renewed not in repr(rows)


def test_a_command_adds_a_person_and_prints_the_password(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("create_person", "bob", "--role", "designer")
    password = capsys.readouterr().out.strip()
    assert entered("bob", password) is not None
    assert Membership.objects.get(user__username="bob").role == "designer"
    with pytest.raises(CommandError, match="username is taken"):
        call_command("create_person", "Bob")
    with pytest.raises(CommandError):
        call_command("create_person", "not a name")


def test_an_admin_sets_the_address_of_a_person(admin: Client) -> None:
    add(admin, email="anna@example.org")
    assert User.objects.get(username="anna").email == "anna@example.org"
    sent = {"role": "reviewer", "seen": "reviewer", "seen_email": "anna@example.org"}
    assert 'value="anna@example.org"' in text(admin.get("/settings/people/anna/"))
    admin.post("/settings/people/anna/", sent | {"email": "new@example.org"})
    assert User.objects.get(username="anna").email == "new@example.org"
    entries = AuditEntry.objects.filter(object_type="member")
    details = [bytes(entry.detail) for entry in entries]
    assert sum(b"address set" in detail for detail in details) == 1
    assert not any(b"@example.org" in detail for detail in details)


def test_an_admin_removes_an_address(admin: Client) -> None:
    add(admin, email="anna@example.org")
    sent = {"role": "viewer", "seen": "reviewer", "seen_email": "anna@example.org", "email": ""}
    admin.post("/settings/people/anna/", sent)
    assert User.objects.get(username="anna").email == ""


def test_an_address_that_someone_changed_meanwhile_is_not_overwritten(admin: Client) -> None:
    add(admin, email="old@example.org")
    User.objects.filter(username="anna").update(email="other@example.org")
    sent = {"role": "viewer", "seen": "reviewer", "seen_email": "old@example.org"}
    answer = admin.post("/settings/people/anna/", sent | {"email": "mine@example.org"})
    assert answer.status_code == 409
    assert "changed the email address" in text(answer)
    assert User.objects.get(username="anna").email == "other@example.org"
    assert Membership.objects.get(user__username="anna").role == "reviewer"  # both or neither


def test_admins_set_their_own_address(admin: Client) -> None:
    own = User.objects.get()
    sent = {"role": "admin", "seen": "admin", "seen_email": "", "email": "boss@example.org"}
    assert admin.post(f"/settings/people/{own.username}/", sent).status_code == 302
    own.refresh_from_db()
    assert own.email == "boss@example.org"


@pytest.mark.parametrize("address", ["rita", "a@b\nBcc: c@example.org", f"{'a' * 260}@x.org"])
def test_what_is_no_address_is_refused_at_its_field(admin: Client, address: str) -> None:
    refused = admin.post("/settings/people/+new/", ANNA | {"email": address})
    assert refused.status_code == 422
    assert not User.objects.filter(username="anna").exists()
    add(admin)
    sent = {"role": "reviewer", "seen": "reviewer", "seen_email": "", "email": address}
    answer = admin.post("/settings/people/anna/", sent)
    assert answer.status_code == 422
    assert 'aria-describedby="id_email' in text(answer)
    assert User.objects.get(username="anna").email == ""
