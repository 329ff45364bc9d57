"""Progress of a fit: a bar in the terminal or notebook, and scikit-learn's callbacks."""

import contextlib
import sys

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
    from sklearn.callback import with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupport:
        """This scikit-learn has no callbacks."""

    def with_callbacks(method):
        """Leaves the method as it is."""
        return method


class Stopped(Exception):
    """A callback asked to stop after this iteration."""

    def __init__(self, iteration):
        super().__init__(iteration)
        self.iteration = iteration


@contextlib.contextmanager
def observed(estimator):
    """Gives an observer of iterations, or nothing when nobody wants to know."""
    bar = Bar(type(estimator).__name__) if getattr(estimator, "verbose", False) else None
    tasks = Tasks(estimator) if hasattr(estimator, "_skl_callbacks") else None
    watchers = [watcher for watcher in (bar, tasks) if watcher]

    def observer(iteration, limit, name, objective):
        for watcher in watchers:
            watcher.saw(iteration, limit, name, objective)

    try:
        yield observer if watchers else None
        if tasks:
            tasks.done()
    finally:
        if bar:
            bar.close()


class Bar:
    """One line that is written over and over."""

    WIDTH = 24

    def __init__(self, title):
        self.title = title
        self.length = 0

    def saw(self, iteration, limit, name, objective):
        """Shows the latest iteration."""
        if limit:
            filled = min(self.WIDTH, round(self.WIDTH * iteration / limit))
            gauge = "━" * filled + "─" * (self.WIDTH - filled)
            count = f"{gauge} {iteration}/{limit}"
        else:
            count = f"iteration {iteration}"
        self.write(f"{self.title} {count} {name} {objective:.6g}")

    def write(self, line):
        sys.stderr.write("\r" + line.ljust(self.length))
        sys.stderr.flush()
        self.length = len(line)

    def close(self):
        """Leaves the last line standing."""
        if self.length:
            sys.stderr.write("\n")


class Tasks:
    """Tells scikit-learn's callbacks of every iteration, as subtasks of the fit."""

    def __init__(self, estimator):
        self.estimator = estimator
        self.context = estimator._init_callback_context(max_subtasks=None)
        self.context.call_on_fit_task_begin(estimator=estimator)
        self.told = 0

    def saw(self, iteration, limit, name, objective):
        """Reports come a few times a second; what happened in between is told too."""
        while self.told < iteration:
            context = self.context.subcontext(task_name="iteration")
            context.call_on_fit_task_begin(estimator=self.estimator)
            stop = context.call_on_fit_task_end(estimator=self.estimator)
            self.told += 1
            if stop:
                raise Stopped(self.told)

    def done(self):
        """Ends the fit."""
        self.context.call_on_fit_task_end(estimator=self.estimator)
