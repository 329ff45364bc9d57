"""Times one fit against the number of rows and of columns, three doublings each.

    python growth.py [--rows WORDS] [--out FOLDER]

The exponent is the slope of the logarithm of the time; beside it stands what theory says. Small
sizes are mostly fixed cost, so that the slope is taken over the last two doublings.
"""

import argparse
import json
import math
import os
import time
from pathlib import Path

import didact
import didact.plot
import numpy as np
from places import kept
from sizes import ALGORITHMS, APPLIED, GROUPS, SETTINGS, parted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", help="only classes whose name contains one of these words, cut by commas")
    parser.add_argument("--out", type=Path, help="where the tables go: by default results, or results/partial where not everything was measured")
    options = parser.parse_args()
    options.out = options.out or kept(bool(options.rows))
    words = [word.strip().lower() for word in options.rows.split(",") if word.strip()]
    listed = {name for name, *_ in ALGORITHMS}
    forgotten = [one["name"] for one in didact.catalogue() if one["name"] not in listed]
    if forgotten:
        print(f"Not timed, for want of a line in sizes.py: {', '.join(forgotten)}", flush=True)
    found = []
    for name, settings, make, sizes, theory in ALGORITHMS:
        if not words or any(word in name.lower() for word in words):
            found.append(measured(name, settings, make, sizes, theory))
            print(line(found[-1]), flush=True)
    doubled = [settled(*each) for each in SETTINGS if not words or any(word in each[0].lower() for word in words)]
    doubled += [with_groups(*each) for each in GROUPS if not words or any(word in each[0].lower() for word in words)]
    print("\n".join(map(setting_line, doubled)), flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "growth.json").write_text(json.dumps({"sizes": found, "settings": doubled}, indent=1) + "\n")
    (options.out / "growth.md").write_text(text(found, doubled))
    draw(found, options.out)


def measured(name, settings, make, sizes, theory):
    """Times with more rows and with more columns."""
    n, d = sizes

    def timed(rows, columns):
        return seconds(name, shaped(settings, columns), make(rows, columns))

    by_rows = [(n << k, timed(n << k, d)) for k in range(4)]
    by_columns = [(d << k, timed(n, d << k)) for k in range(4)]
    return {
        "algorithm": name,
        "columns": d,
        "rows": n,
        "by_rows": by_rows,
        "by_columns": by_columns,
        "exponents": [slope(by_rows[1:]), slope(by_columns[1:])],
        "theory": theory,
    }


def shaped(settings, columns):
    """The settings for as many columns: pictures are as wide as the columns make them."""
    if "image_shape" not in settings:
        return settings
    height, _ = settings["image_shape"]
    return {**settings, "image_shape": (height, columns // height)}


def settled(name, settings, make, sizes, doubling, theory):
    """Times with larger values of one setting."""
    setting, first = doubling
    data = make(*sizes)
    times = [(first << k, seconds(name, {**settings, setting: first << k}, data)) for k in range(4)]
    return {"algorithm": name, "setting": setting, "sizes": sizes, "times": times, "exponent": slope(times[1:]), "theory": theory}


def with_groups(name, settings, doubling, counted, theory):
    """Times with more groups, against the number of clusters that were found."""
    setting, first = doubling
    times = []
    for groups in (first << k for k in range(4)):
        data, chosen = parted(groups), {**settings, setting: groups}
        rounds = getattr(getattr(didact, name)(n_jobs=1, **chosen).fit(*data), counted)
        times.append((round(float(np.mean(rounds)), 1), seconds(name, chosen, data)))
    return {"algorithm": name, "setting": "clusters per round", "sizes": data[0].shape, "times": times, "exponent": slope(times[1:]), "theory": theory}


def seconds(name, settings, data):
    """The least time of several fits, on one thread."""
    times = []
    begin = time.perf_counter()
    while len(times) < 3 or (len(times) < 30 and time.perf_counter() - begin < 0.5):
        start = time.perf_counter()
        model = getattr(didact, name)(n_jobs=1, **settings)
        model.fit(**data) if isinstance(data, dict) else model.fit(*data)
        if name in APPLIED:
            model.transform(data[0])
        times.append(time.perf_counter() - start)
    return min(times)


def slope(points):
    x = [math.log(size) for size, _ in points]
    y = [math.log(taken) for _, taken in points]
    return float(np.polyfit(x, y, 1)[0])


def draw(found, folder):
    """A picture for each family and each way to grow: how many times as long, with how many times as much;
    behind each name stands the exponent."""
    families = {line["name"]: line["family"] for line in didact.catalogue()}
    for family in sorted({families[one["algorithm"]] for one in found}):
        members = [one for one in found if families[one["algorithm"]] == family]
        for place, what in enumerate(("rows", "columns")):
            costs = {
                f"{one['algorithm']}: {one['exponents'][place]:.1f}": [taken / one[f"by_{what}"][0][1] for _, taken in one[f"by_{what}"]]
                for one in members
            }
            picture = didact.plot.growth([1, 2, 4, 8], costs, size_name=f"times as many {what}", cost_name="times as long")
            picture.save(folder / f"growth-{family}-{what}.svg")


def line(found):
    """One row of the table: milliseconds by doubling, and the exponents."""
    rows = " · ".join(f"{1e3 * taken:.3g}" for _, taken in found["by_rows"])
    columns = " · ".join(f"{1e3 * taken:.3g}" for _, taken in found["by_columns"])
    (in_rows, in_columns), (rows_theory, columns_theory) = found["exponents"], found["theory"]
    return (
        f"| {found['algorithm']} | {found['rows']}×{found['columns']} | {rows} | {in_rows:.2f} ({rows_theory}) "
        f"| {columns} | {in_columns:.2f} ({columns_theory}) |"
    )


def setting_line(found):
    """One row of the table of settings."""
    times = " · ".join(f"{1e3 * taken:.3g}" for _, taken in found["times"])
    values = ", ".join(str(size) for size, _ in found["times"])
    rows, columns = found["sizes"]
    return f"| {found['algorithm']} | {rows}×{columns} | {found['setting']} {values} | {times} | {found['exponent']:.2f} ({found['theory']}) |"


def text(found, doubled):
    head = [
        "# Growth",
        "",
        "Milliseconds of one fit on one thread while the number of rows, then of columns, doubles three",
        "times; the fitted exponent, and in brackets that of theory for large sizes (an upper bound where",
        "fixed costs, matrix products in cache or fewer iterations make a fit cheaper).",
        "",
        f"Load at the end: {os.getloadavg()[0]:.1f}.",
        "",
        "| algorithm | from | by rows, ms | exponent | by columns, ms | exponent |",
        "|---|--:|---|--:|---|--:|",
    ]
    settings = ["", "The same while a setting doubles:", "", "| algorithm | rows | setting | ms | exponent |", "|---|--:|---|---|--:|"]
    return "\n".join(head + [line(one) for one in found] + settings + [setting_line(one) for one in doubled]) + "\n"


if __name__ == "__main__":
    main()
