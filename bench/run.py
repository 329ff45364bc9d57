"""Times every row side by side and writes a table of ratios.

    python run.py [--rows WORDS] [--quick] [--threads 1,2] [--out FOLDER] [--rust PROGRAM]...

Each number of threads has a process of its own, in which all libraries take turns; a time counts
only when our answer is as good as the best one. Memory is measured in a process of its own for each
task and library. Every PROGRAM times crates of Rust in the same way; rows of one name are put together.
"""

import argparse
import ctypes
import datetime
import functools
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

from places import kept

PEERS = ["didact", "scikit-learn", "scikit-learn-intelex", "hmmlearn", "hdbscan", "fastcluster", "minisom", "python-crfsuite", "scipy", "numpy", "polars", "pandas"]
LIMITS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "POLARS_MAX_THREADS"]
#: A task is repeated until so much time was spent on a library, within the numbers of repeats.
SECONDS, LEAST, MOST = 2.0, 3, 30
#: Sooner where so many turns gained less than this share, or where a peer is so many times slower
#: than the best one that it will not become the best.
PATIENCE, GAIN, HOPELESS = 4, 0.005, 2.0
#: What takes longer than so many seconds is repeated once.
LONG = 1.0
#: No task takes so many seconds; what does has got stuck.
STUCK = 300
#: The threads of a library that is done wait busily for its next task, on cores that the next library
#: needs; OpenBLAS lets them fall asleep after some 30 milliseconds.
REST = 0.1
#: After that rest caches are cold and cores asleep; a task that takes fewer seconds than this is
#: done once without being timed, by every library, so that threads are measured and not their awakening.
SHORT = 0.05


def main():
    options = arguments()
    if options.worker:
        return worker(options)
    if options.memory:
        return memory(options)
    # Before anything has warmed the machine or waits in the background.
    limits_of_the_machine()
    results = {}
    for threads in options.threads:
        results[threads] = measured(options, threads) + crates(options, threads)
        if not results[threads]:
            sys.exit(f"no row has a name that contains {options.rows!r}; the names are in bench/results/latest.md")
        # Whoever interrupts the rest keeps what is known.
        write(options, results, {})
    print(write(options, results, {} if options.quick else remembered(options)))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", help="only rows whose name contains one of these words, cut by commas")
    parser.add_argument("--quick", action="store_true", help="fewest repeats, no memory")
    parser.add_argument("--threads", default="1,2", type=lambda text: [int(part) for part in text.split(",")])
    parser.add_argument("--out", type=Path, help="where the tables go: by default results, or results/partial where not everything was measured")
    parser.add_argument("--rust", action="append", default=[], help="a program that times crates of Rust")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--memory", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.out = options.out or kept(bool(options.rows) or options.quick)
    return options


def chosen(options):
    from rows import ROWS

    words = [word.strip().lower() for word in options.rows.split(",") if word.strip()]
    return [row for row in ROWS if not words or any(word in row.name.lower() for word in words)]


# -- measuring ---------------------------------------------------------------------------------


def measured(options, threads):
    """The rows as a process with so many threads measures them."""
    limits = dict.fromkeys(LIMITS, str(threads))
    command = [sys.executable, __file__, "--worker", str(threads), "--rows", options.rows]
    command += ["--quick"] if options.quick else []
    rows = []
    with subprocess.Popen(command, env={**os.environ, **limits}, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            rows.append(json.loads(line))
            print(brief(threads, rows[-1]), file=sys.stderr, flush=True)
    if process.returncode:
        sys.exit(f"the rows with {threads} threads ended early, after {len(rows)}")
    return rows


def brief(threads, row):
    """What a row found, while the others are still measured."""
    ratio = advantage(row)
    found = "no comparison" if ratio is None else f"{ratio:.2f} times as fast as the best peer"
    doubt = "" if row["equal"] else ", but NOT AS GOOD"
    return f"{row['row']}, {threads} threads: {found}{doubt}"


def advantage(row):
    """How many times faster than the best peer we are; nothing where one of the two has no time."""
    peers = [seconds for name, seconds in row["least"].items() if name != "didact"]
    return min(peers) / row["least"]["didact"] if peers and "didact" in row["least"] else None


def crates(options, threads):
    """The rows that the programs in Rust measure, in the same form."""
    found = {}
    for program in options.rust:
        limits = {"RAYON_NUM_THREADS": str(threads)}
        command = [program, str(threads), options.rows, *(["quick"] if options.quick else [])]
        done = subprocess.run(command, env={**os.environ, **limits}, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(f"{program} ended early with {done.returncode}", file=sys.stderr)
        for row in map(json.loads, done.stdout.splitlines()):
            known = found.setdefault(row["row"], row)
            for part in ("least", "median", "quality"):
                known[part].update(row[part])
    rows = list(found.values())
    for row in rows:
        row["row"] += " (Rust)"
        row["floor"] = None
        row["failures"] = {name: "no answer" for name, value in row["quality"].items() if value is None}
        known = {name: value for name, value in row["quality"].items() if value is not None}
        row["equal"] = as_good(1e-3, known)
        row["load"] = os.getloadavg()[0]
    return rows


@functools.cache
def limits_of_the_machine():
    """What a row is held against: giga-operations of a matrix product, and gigabytes copied, per second."""
    import numpy as np

    a = np.random.default_rng(0).standard_normal((1500, 1500))
    wide = np.ones(20_000_000)
    copy = np.empty_like(wide)
    product = min(clocked(lambda: a @ a) for _ in range(5))
    moved = min(clocked(lambda: np.copyto(copy, wide)) for _ in range(5))
    return {"product_gflops": 2 * 1500**3 / product / 1e9, "copy_gb_per_second": 2 * wide.nbytes / moved / 1e9}


def clocked(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def worker(options):
    """Measures the rows and prints each as a line of JSON."""
    # No library can then use more cores than it was given, whatever setting it listens to.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.worker])
    from threadpoolctl import threadpool_limits

    with threadpool_limits(options.worker):
        for row in chosen(options):
            print(json.dumps(one_row(row, options.worker, options.quick)), flush=True)


def one_row(row, threads, quick):
    """Times and qualities of everybody, taking turns."""
    data = row.data()
    given = {name: prepared(row, name, data, threads) for name in row.who}
    failures, first, times, quality, floor = {}, {}, {}, {}, []
    for name, call in row.who.items():
        try:
            begin = time.perf_counter()
            answer = call(given[name], threads)  # also warms everything up
            first[name] = time.perf_counter() - begin
            quality[name] = row.quality(data, answer)
            times[name] = []
        except Exception as error:  # a peer that cannot do the task is reported, not hidden
            failures[name] = f"{type(error).__name__}: {error}"[:200]
    # The first call of something long is a measurement like any other.
    times = {name: [first[name]] if first[name] > LONG else [] for name in times}
    for _ in range(LEAST if quick else MOST):
        waiting = [name for name in times if not is_settled(name, times)]
        if not waiting:
            break
        for name in waiting:
            rest(threads)
            if threads > 1 and first[name] < SHORT:
                row.who[name](given[name], threads)
            begin = time.perf_counter()
            for _ in range(row.loops):
                row.who[name](given[name], threads)
            times[name].append((time.perf_counter() - begin) / row.loops)
        if row.floor and len(floor) < LEAST:
            rest(threads)
            floor.append(clocked(lambda: row.floor(data)))
    return {
        "row": row.name,
        "floor": min(floor, default=None),
        "least": {name: min(all_times) for name, all_times in times.items()},
        "median": {name: statistics.median(all_times) for name, all_times in times.items()},
        "quality": quality,
        "failures": failures,
        "equal": as_good(row.tolerance, quality),
        "load": os.getloadavg()[0],
    }


def is_settled(name, times):
    """Whether more turns would not change what is known of a library."""
    own = times[name]
    if not own:
        return False
    peers = [min(all_times) for peer, all_times in times.items() if peer != "didact" and all_times]
    if name != "didact" and min(own) > HOPELESS * min(peers):
        return True
    if min(own) > LONG:
        return len(own) >= 2
    earlier, spent = own[:-PATIENCE], sum(own)
    stable = bool(earlier) and min(own) > (1 - GAIN) * min(earlier)
    return len(own) >= LEAST and (spent > SECONDS or (stable and spent > SECONDS / 4))


def rest(threads):
    """Waits until the threads of the library before are asleep; a single thread has no others."""
    if threads > 1:
        time.sleep(REST)


def prepared(row, name, data, threads):
    return (row.prepare[name](data, threads), data) if name in row.prepare else data


def as_good(tolerance, quality):
    """Whether our answer is as good as the best of the others."""
    best = max((value for name, value in quality.items() if name != "didact"), default=None)
    if best is None or "didact" not in quality:
        return False
    return quality["didact"] >= best - tolerance * max(abs(best), 1e-12)


def remembered(options):
    """The most memory that each task took beyond its data, in MiB, by task and library."""
    peaks = {}
    # On one thread nothing is under way when a process is copied.
    limits = dict.fromkeys(LIMITS, "1")
    command = [sys.executable, __file__, "--memory", "--rows", options.rows]
    with subprocess.Popen(command, env={**os.environ, **limits}, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            row, name, peak = json.loads(line)
            peaks.setdefault(row, {})[name] = peak
    return peaks


def memory(options):
    """Prints how far the resident memory rises above what the data take, for every task and library.

    The libraries are loaded once; a copy of the process makes the data of a row, and a copy of that
    is the first to use each library.
    """
    for row in chosen(options):
        apart(lambda row=row: of_a_row(row))


def of_a_row(row):
    data = row.data()
    for name in row.who:
        apart(lambda name=name: peak(row, name, data))


def peak(row, name, data):
    given = prepared(row, name, data, 1)
    # What was freed must not serve the task unseen.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before, code = resident("VmHWM"), resident("RssFile")
    answer = row.who[name](given, 1)
    # Pages of a library's own file that a call is the first to run are no memory of the task, and all
    # processes share them; a file of data that was mapped and let go still counts.
    mapped = max(0, resident("RssFile") - code)
    rise = (resident("VmHWM") - before - mapped) / 1024
    print(json.dumps([row.name, name, rise]), flush=True)
    return answer


def apart(work):
    """Does something in a copy of this process, which cannot fail or get stuck for the others."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(STUCK)
            work()
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.waitpid(child, 0)


def resident(what):
    """So many KiB of this process, by the name that Linux has for them."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(what))
    return float(line.split()[1])


# -- reporting ---------------------------------------------------------------------------------


def write(options, results, peaks):
    """Writes what was found as Markdown and JSON, and returns the Markdown."""
    facts = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{os.cpu_count()} cores, {processor()}",
        "python": platform.python_version(),
        "limits": limits_of_the_machine(),
        "versions": {name: metadata.version(name) for name in PEERS if installed(name)},
    }
    options.out.mkdir(parents=True, exist_ok=True)
    lines = [f"# Benchmark of {facts['date']}", "", facts["machine"] + ", " + ", ".join(f"{n} {v}" for n, v in facts["versions"].items()), ""]
    limits = facts["limits"]
    lines += [f"All cores: matrix product {limits['product_gflops']:.0f} GFLOP/s, memory copied at {limits['copy_gb_per_second']:.1f} GB/s.", ""]
    for threads, rows in results.items():
        lines += table(threads, rows, peaks)
    text = "\n".join(lines) + "\n"
    (options.out / "latest.md").write_text(text)
    (options.out / "latest.json").write_text(json.dumps({"facts": facts, "threads": results, "memory": peaks}, indent=1))
    return text


def table(threads, rows, peaks):
    """Times of one number of threads; above one we are faster than the best peer."""
    lines = [f"## {threads} thread{'s' if threads > 1 else ''}", ""]
    lines += ["| task | didact ms | best peer ms | peer | faster by | of its floor | as good | load | memory MiB (peer) |", "|---|--:|--:|---|--:|--:|---|--:|--:|"]
    ratios = []
    for row in rows:
        peers = {name: seconds for name, seconds in row["least"].items() if name != "didact"}
        ratio = advantage(row)
        if ratio is None:
            lines.append(f"| {row['row']} | – | – | – | – | | {'; '.join(f'{n}: {f}' for n, f in row['failures'].items())} | | |")
            continue
        best = min(peers, key=peers.get)
        if row["equal"]:
            ratios.append(ratio)
        found = peaks.get(row["row"], {})
        leanest = min((value for name, value in found.items() if name != "didact"), default=None)
        kept = f"{found['didact']:.0f} ({leanest:.0f})" if leanest is not None and "didact" in found else ""
        lines.append(
            f"| {row['row']} | {1e3 * row['least']['didact']:.3g} | {1e3 * peers[best]:.3g} | {best} | {ratio:.2f} | {multiple(row)} "
            f"| {'yes' if row['equal'] else 'NO ' + str(row['quality'])} | {row['load']:.1f} | {kept} |"
        )
    if ratios:
        mean = statistics.geometric_mean(ratios)
        below = sum(ratio < 1 for ratio in ratios)
        lines += ["", f"Geometric mean {mean:.2f}; slower than the best peer in {below} of {len(ratios)} rows.", ""]
        larger = [row["row"] for row in rows if takes_more(peaks.get(row["row"], {}))]
        if larger:
            lines += [f"More memory than the leanest peer: {', '.join(larger)}.", ""]
    return lines


def takes_more(found):
    """Whether we take more memory than the leanest peer; some hundred KiB are the libraries' own."""
    leanest = min((value for name, value in found.items() if name != "didact"), default=None)
    return leanest is not None and "didact" in found and found["didact"] > 1.05 * leanest + 1


def multiple(row):
    """How many times the work that the task contains ours takes."""
    return f"{row['least']['didact'] / row['floor']:.2f}" if row["floor"] else ""


def installed(name):
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def processor():
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())


if __name__ == "__main__":
    main()
