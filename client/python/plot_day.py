"""Draws one day of a meter: Leq, L10 and L90 of each quarter of an hour.

    python3 plot_day.py roof 2026-11-21 Europe/Berlin

With matplotlib the chart is a window or a PNG (--png); without it the file roof-2026-11-21.svg, which any browser shows.
The address of the gateway is in SLM_URL, the key in SLM_API_KEY or SLM_API_KEY_FILE.
"""

import os
import sys
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from slm_gateway import Gateway, GatewayError

Row = dict[str, Any]
QUANTITIES = ("leq", "l10", "l90")
COLOURS = {"leq": "#1f5fa8", "l10": "#c2571a", "l90": "#3c7d3c"}
WIDTH, HEIGHT, LEFT, BOTTOM = 960, 420, 48, 36


def rows_of(unit: str, day: str, zone: ZoneInfo) -> list[Row]:
    start = datetime.fromisoformat(day).replace(tzinfo=zone)
    gateway = Gateway(os.environ.get("SLM_URL", "http://127.0.0.1:8100/api/nl43"))
    # The day of the place: 23 or 25 hours where the clocks change.
    return gateway.history(unit, start, start + timedelta(days=1), step="15m", quantities=QUANTITIES)


def plot(rows: list[Row], title: str, zone: ZoneInfo, png: bool) -> str:
    import matplotlib

    if png:
        matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(figsize=(10, 4.5))
    times = [row["start"].astimezone(zone) for row in rows]
    for name in QUANTITIES:
        axes.plot(times, [row[name] for row in rows], label=name, color=COLOURS[name], drawstyle="steps-post")
    axes.set(title=title, ylabel="dB")
    axes.legend()
    axes.grid(alpha=0.3)
    if not png:
        plt.show()
        return "the window"
    plt.savefig(f"{title}.png", dpi=150)
    return f"{title}.png"


def svg(rows: list[Row], title: str, zone: ZoneInfo) -> str:
    """The same with nothing but text. A quarter of an hour without data is a gap in the line."""
    levels = [row[name] for row in rows for name in QUANTITIES if row[name] is not None]
    low, high = (min(levels) // 10 * 10, max(levels) // 10 * 10 + 10) if levels else (30, 90)

    def x(number: float) -> float:
        return LEFT + number * (WIDTH - LEFT - 16) / max(1, len(rows))

    def y(level: float) -> float:
        return float(HEIGHT - BOTTOM - (level - low) * (HEIGHT - BOTTOM - 32) / (high - low))

    parts = [f'<text x="{LEFT}" y="20">{title}</text>']
    for level in range(int(low), int(high) + 1, 10):
        parts.append(f'<path d="M{LEFT} {y(level):.1f}H{WIDTH - 16}" stroke="#ccc"/>')
        parts.append(f'<text x="8" y="{y(level) + 4:.1f}">{level} dB</text>')
    # By the clock of the place, which skips or repeats an hour where the clocks change.
    clock = [row["start"].astimezone(zone) for row in rows]
    hours = [(number, at.hour) for number, at in enumerate(clock) if at.hour % 3 == 0 and at.minute == 0]
    for number, hour in [*hours, (len(rows), 24)]:
        parts.append(f'<text x="{x(number) - 14:.1f}" y="{HEIGHT - 12}">{hour:02d} h</text>')
    for place, name in enumerate(QUANTITIES):
        line = "".join(
            f"M{x(at):.1f} {y(row[name]):.1f}H{x(at + 1):.1f}" for at, row in enumerate(rows) if row[name] is not None
        )
        parts.append(f'<path d="{line}" stroke="{COLOURS[name]}" stroke-width="2" fill="none"/>')
        parts.append(f'<text x="{WIDTH - 180 + 56 * place}" y="20" fill="{COLOURS[name]}">{name}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">'
    with open(f"{title}.svg", "w", encoding="utf-8") as file:
        file.write(f'{head}<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n')
    return f"{title}.svg"


def main(words: list[str]) -> int:
    png = "--png" in words
    words = [word for word in words if word != "--png"]
    if len(words) not in (2, 3):
        print(__doc__)
        return 2
    unit, day, zone = words[0], words[1], ZoneInfo(words[2] if len(words) == 3 else "UTC")
    try:
        rows = rows_of(unit, day, zone)
    except GatewayError as error:
        print(error, file=sys.stderr)
        return 1
    title = f"{unit}-{day}"
    try:
        import matplotlib  # noqa: F401

        print("drawn:", plot(rows, title, zone, png))
    except ImportError:
        print("drawn:", svg(rows, title, zone))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
