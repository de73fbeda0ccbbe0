"""One mail by Django's own backend; what it is and to whom is said by others."""

from dataclasses import dataclass

from django.core.mail import EmailMessage

from notifications.sending.outcome import Outcome, Problem


@dataclass(frozen=True, slots=True)
class Email:
    """A mail; ``id`` makes a message id by which a second copy is known."""

    id: str
    to: str
    subject: str
    text: str
    host: str


def send(letter: Email) -> Outcome:
    """Send it; a server that does not answer, or does not want it, is an outcome, too."""
    headers = {"Message-ID": f"<{letter.id}@{letter.host}>", "Auto-Submitted": "auto-generated"}
    mail = EmailMessage(letter.subject, letter.text, to=[letter.to], headers=headers)
    try:
        mail.send()
    except OSError:  # of sockets, and smtplib's own
        return Outcome(Problem.MAIL)
    return Outcome()
