"""Sends one mail by Django's backend; others decide its content and recipient."""

from dataclasses import dataclass

from django.core.mail import EmailMessage

from notifications.sending.outcome import DeliveryOutcome, Problem


@dataclass(frozen=True, slots=True)
class Email:
    """A mail; ``id`` makes a message id by which a second copy is recognized."""

    id: str
    to: str
    subject: str
    text: str
    host: str


def send(letter: Email) -> DeliveryOutcome:
    """Sends it; a server that does not answer, or refuses, is an outcome, too."""
    headers = {"Message-ID": f"<{letter.id}@{letter.host}>", "Auto-Submitted": "auto-generated"}
    mail = EmailMessage(letter.subject, letter.text, to=[letter.to], headers=headers)
    try:
        mail.send()
    except OSError:  # of sockets, and smtplib's own
        return DeliveryOutcome(Problem.MAIL)
    return DeliveryOutcome()
