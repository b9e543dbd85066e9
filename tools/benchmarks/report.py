"""How figures are printed."""

import statistics
import sys
import time


class Report:
    """Prints rows as they come, each block under what it is and how it was measured."""

    def block(self, title, method):
        print(f"\n{title}\n  how: {method}", flush=True)

    def row(self, name, figure):
        print(f"  {name:<44} {figure}", flush=True)

    def table(self, head, rows):
        widths = [max(len(str(cell)) for cell in column) for column in zip(head, *rows)]
        for cells in (head, *rows):
            print("  " + "  ".join(
                str(cell).ljust(width) if index == 0 else str(cell).rjust(width)
                for index, (cell, width) in enumerate(zip(cells, widths))), flush=True)


def spread(values, unit="ms", scale=1000, digits=1):
    """Median, smallest and largest of some seconds."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return (f"{middle * scale:.{digits}f} {unit} (of {len(values)}: "
            f"{low * scale:.{digits}f} to {high * scale:.{digits}f})")


def say(text):
    print(text, file=sys.stderr, flush=True)


def now():
    return time.monotonic()
