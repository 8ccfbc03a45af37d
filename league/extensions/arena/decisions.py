"""What the staff decide. Each decision is one function here; the pages and `league arena` are both made from it.

done = DECISIONS["renew"].make(Desk(arena, "lea", "lecturer"), {"who": "amy"})
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from league.extensions.arena.database import RefusedError
from league.extensions.arena.desk import (
    LECTURER,
    Content,
    Desk,
    Done,
    Moment,
    Notice,
    PerHour,
    Reason,
    StaffDecision,
    about,
    decision,
    file_of,
)
from league.extensions.arena.people import guests_of, invitation, invite
from league.extensions.arena.records import STAFF, ArenaRules, Late, Participant, Replays, Role, utc


def is_open(rules: ArenaRules, _: Participant | None) -> bool:
    """While hand-ins are taken."""
    return rules.phase == "open"


# About the arena


@decision("Pause the ladder", STAFF, lambda rules, _: not rules.paused and rules.phase != "over")
def pause(desk: Desk) -> Done:
    """The ladder stops within seconds, and keeps what it has played. Hand-ins and checks go on."""
    desk.arena.change_rules(desk.actor, paused=True)
    return Done("The ladder stops within seconds, and keeps what it has played. Hand-ins are taken and checked.")


@decision("Resume the ladder", STAFF, lambda rules, _: rules.paused)
def resume(desk: Desk) -> Done:
    """The ladder goes on where it stopped."""
    desk.arena.change_rules(desk.actor, paused=False)
    return Done("The ladder plays on.")


@decision("Invite people", STAFF, gives="links")
def _invite(desk: Desk, people: Annotated[Content, about("The people", "people.csv")]) -> Done:
    """Everybody new in a CSV file gets a personal link, which is shown once.

    Who was invited before keeps theirs, so you can add people and read the file again. It has a column `name`, and may
    have `alias` (what everybody sees, and the name of the bot; without one, it is drawn), `team` (its people share a
    bot) and `role` (author, assistant or lecturer).
    """
    guests = guests_of(people, desk.source)
    if desk.role != "lecturer" and any(guest.role != "author" for guest in guests):
        raise RefusedError("Only the lecturer can invite members of the staff. Nobody was invited.")
    links, present = invite(desk.arena, guests, desk.actor, desk.base)
    there = [person.alias for person in present]
    already = f" Already there: {', '.join(there)}." if there else ""
    number = "1 person was" if len(links) == 1 else f"{len(links):,} people were"
    return Done(f"{number} invited.{already}", {"invited": links, "present": there}, links)


@decision("Download grades", STAFF, gives="file")
def _grades(
    desk: Desk, scheme: Annotated[Content, about("How points become grades")] = "formula: milestones\n"
) -> Done:
    """A CSV file with a grade for each author, and how it came about. People of a team share a grade.

    Grades are those of the final when it is over, before that of the ladder as it is. A scheme says how points become
    grades, as for `league class grades`.
    """
    from league.extensions.arena.grading import grade_table  # it loads what standings need; the web server does not
    from league.extensions.course.grades import scheme_of

    table, doubts = grade_table(desk.arena, scheme_of(scheme, desk.source))
    done = file_of(desk, "grades.csv", lambda path: path.write_text(table, encoding="utf-8"))
    return done._replace(
        text=" ".join([done.text, *(f"Provisional: {doubt}" for doubt in doubts)]), data={"doubts": doubts}
    )


@decision("Set the deadline", LECTURER, is_open)
def deadline(
    desk: Desk,
    when: Moment | None,
    late: Annotated[
        Late | None, about("Whether later hand-ins are refused, or kept aside until you accept them")
    ] = None,
) -> Done:
    """After the last deadline the arena closes and the final is played. Until then you can move it."""
    desk.arena.set_deadline(desk.actor, when)
    rules = desk.arena.change_rules(desk.actor, late=late) if late else desk.arena.rules
    after = {"refuse": "refused", "keep": "kept aside"}[rules.late]
    text = f"The deadline is {utc(when) if when else 'open'}. Later hand-ins are {after}."
    return Done(text, {"deadline": when, "late": rules.late})


@decision("Change rules or notice", LECTURER)
def rules(
    desk: Desk,
    spectators: Annotated[bool | None, about("Whether people without a link see standings")] = None,
    replays: Annotated[Replays | None, about("Whose games authors can watch; own: those of their own bot")] = None,
    per_hour: Annotated[PerHour | None, about("Hand-ins of one bot within an hour")] = None,
    notice: Annotated[Notice | None, about("What everybody who takes part reads on their page")] = None,
) -> Done:
    """Changes who may see and do what, at once. What is left out stays as it is."""
    given = {"spectators": spectators, "replays": replays, "per_hour": per_hour, "notice": notice}
    before = desk.arena.rules
    changed = {name: value for name, value in given.items() if value is not None and value != getattr(before, name)}
    now = desk.arena.change_rules(desk.actor, **changed) if changed else before
    data = {name: getattr(now, name) for name in given}
    shown = ", ".join(f"{name}: {msgspec.json.encode(value).decode()}" for name, value in data.items())
    return Done(f"Changed: {', '.join(changed) or 'nothing'}. Now: {shown}.", data)


@decision("Begin the final", LECTURER, is_open, final=True)
def _final(desk: Desk) -> Done:
    """Closes the arena now instead of at the deadline: waiting hand-ins are checked, then the final is played."""
    desk.arena.change_rules(desk.actor, phase="closed", paused=False)  # else the final would not be played
    return Done("The arena is closed. The final begins when the last checks are done.")


@decision("Download a backup", LECTURER, gives="file")
def _backup(desk: Desk) -> Done:
    """One .zip with everything that the arena needs, for `league arena restore`, also while it runs.

    It holds all hand-ins and the secret of the final: keep it private.
    """
    from league.extensions.arena.archive import backup  # it loads results; most decisions do without

    return file_of(desk, "backup.zip", lambda path: backup(desk.arena.folder, path))


@decision("Download records", LECTURER, gives="file")
def _export(desk: Desk) -> Done:
    """One .zip with every version as a file, and people, receipts, verdicts, rounds and the log as CSV."""
    from league.extensions.arena.archive import export

    return file_of(desk, "records.zip", lambda path: export(desk.arena.folder, path))


# About somebody


@decision("Renew link", STAFF, lambda _, who: not who.is_forgotten, gives="links")
def renew(desk: Desk, who: Participant) -> Done:
    """{who} gets a new link, which is shown once. The old one ends, and so do all its sessions."""
    link = invitation(desk.arena, who, desk.arena.renew(who, desk.actor), desk.base)
    return Done(f"The old link of {who.alias} and all its sessions have ended.", {}, [link])


@decision("Revoke link", STAFF, lambda _, who: not who.revoked)
def revoke(desk: Desk, who: Participant) -> Done:
    """The link of {who} stops working. Their bot plays on."""
    if who.alias == desk.actor:
        raise RefusedError("This is your own link: you would lock yourself out. Renew it instead.")
    desk.arena.revoke(who, desk.actor)
    return Done(f"The link of {who.alias} is revoked. Their bot plays on.")


@decision("Set own deadline", LECTURER, lambda rules, who: is_open(rules, who) and not who.is_staff)
def extend(desk: Desk, who: Participant, when: Moment | None) -> Done:
    """{who} gets a deadline of their own, earlier or later than the others'; `none` removes it."""
    desk.arena.set_deadline(desk.actor, when, who)
    shown = utc(when) if when else "the same as for everybody"
    return Done(f"The deadline of {who.alias} is {shown}.", {"deadline": when})


def is_late(rules: ArenaRules, who: Participant) -> bool:
    """While a late hand-in of theirs may still be accepted: before the final has its roster."""
    return rules.late == "keep" and rules.phase in ("open", "closed") and not who.is_staff


@decision("Accept late hand-in", LECTURER, is_late)
def accept(desk: Desk, who: Participant) -> Done:
    """The newest late hand-in of {who} takes its place in the queue."""
    late = [submission for submission in desk.arena.submissions(who.bot) if submission.state == "late"]
    if not late:
        raise RefusedError(f"{who.bot} has no late hand-in.")
    desk.arena.accept_late(late[0], desk.actor)
    return Done(f"Version {late[0].number} of {who.bot} is in the queue.", {"version": late[0].number})


@decision("Disqualify a bot", LECTURER, lambda _, who: not who.is_staff and not who.disqualified)
def disqualify(desk: Desk, who: Participant, reason: Reason) -> Done:
    """The bot of {who} plays neither on the ladder from the next round on, nor in the final. They read the reason."""
    desk.arena.change_person(who, desk.actor, disqualified=reason)
    return Done(f"{who.bot} plays no more from the next round on.")


@decision("Readmit a bot", LECTURER, lambda _, who: bool(who.disqualified))
def readmit(desk: Desk, who: Participant) -> Done:
    """The bot of {who} takes part again."""
    desk.arena.change_person(who, desk.actor, disqualified="")
    return Done(f"{who.bot} takes part again.")


@decision("Forget somebody", LECTURER, lambda rules, who: rules.phase == "over" and not who.is_forgotten, final=True)
def _forget(desk: Desk, who: Participant) -> Done:
    """Erases the name and the sources of {who} after the final. The alias and the hashes stay.

    So do standings, receipts and moves. Backups and records that you have made are yours to delete.
    """
    from league.extensions.arena.archive import forget

    gone = forget(desk.arena, who, desk.actor)
    sources = f"So are the sources of {gone.bot}." if gone.sources else f"The sources of {gone.bot} stay for the team."
    text = f"The name, the link and the names of files of {gone.alias} are erased. {sources}"
    return Done(text, msgspec.to_builtins(gone))


DECISIONS = {
    one.name: one
    for one in (
        *(pause, resume, _invite, _grades, deadline, rules, _final, _backup, _export),
        *(renew, revoke, extend, accept, disqualify, readmit, _forget),
    )
}
"""All of them, by name. Assistants help people and the ladder along; what decides about grades is the lecturer's."""


def offers(rules: ArenaRules, role: Role, about: Participant | None = None) -> list[StaffDecision]:
    """What somebody of the staff can decide now, about a person or about the arena."""
    return [one for one in DECISIONS.values() if one.may(role, about) and one.fits(rules, about)]
