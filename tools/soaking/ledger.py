"""The book of all takes: each begins once and ends once."""

import collections
import os
import urllib.parse

ENDINGS = ("sent", "maximum", "too-short", "cancelled", "interrupted")


class Ledger:
    """Kept from what the bus tells, and from what the verbs answered."""

    def __init__(self):
        self.begun = {}
        self.answered = set()
        self.endings = collections.defaultdict(list)
        self.files = {}
        self.orphans = set()
        self.wrong = []

    def begins(self, take, who):
        """A recorder told a recording phase of a take."""
        if take in self.begun and self.begun[take] != who:
            self.wrong.append(f"take {take} was begun twice")
        self.begun[take] = who

    def heard(self, entry):
        """A signal of a recorder, as Client keeps it."""
        _, path, _, member, arguments = entry
        if member == "Phase" and arguments[0] in ("holding", "locked"):
            self.begins(arguments[1], path)
        elif member == "Finished":
            take, uri, duration, _, details = arguments
            self.endings[take].append(details.get("ending", "?"))
            file = urllib.parse.unquote(uri.removeprefix("file://"))
            self.files[take] = file
            if not os.path.isfile(file) or os.path.getsize(file) == 0:
                self.wrong.append(f"take {take} is finished, and its file is not there")
            if not 0 < duration < 400:
                self.wrong.append(f"take {take} is told to last {duration} s")
        elif member == "Discarded":
            self.endings[arguments[0]].append(arguments[1])

    def owner_left(self, takes):
        """Takes whose owner cannot hear their end any more."""
        self.orphans.update(takes)

    def open(self):
        """Takes that have begun and not ended yet."""
        return [take for take in self.begun | dict.fromkeys(self.answered, "")
                if not self.endings[take] and take not in self.orphans]

    def table(self):
        """Rows for the report, and whether each take is accounted for exactly once."""
        takes = set(self.begun) | self.answered
        counts = collections.Counter(
            self.endings[take][0] if self.endings[take] else "owner left" for take in takes
            if self.endings[take] or take in self.orphans)
        twice = [take for take in takes if len(self.endings[take]) > 1]
        unknown = [take for take, found in self.endings.items() if found and take not in takes]
        rows = [("takes begun", len(takes))]
        rows += [("  ended as " + name, counts[name]) for name in ENDINGS]
        rows += [("  owner left the bus first", counts["owner left"]),
                 ("  without an ending", len(self.open())),
                 ("  with two endings", len(twice)), ("endings without a take", len(unknown))]
        for take in self.open():
            self.wrong.append(f"take {take} never ended")
        for take in twice:
            self.wrong.append(f"take {take} ended as {' and '.join(self.endings[take])}")
        for take in unknown:
            self.wrong.append(f"take {take} ended and never began")
        return rows
