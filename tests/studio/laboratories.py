"""What the tests of laboratories share: opening one, setting its numbers, reading its newest answer."""

from conftest import until


def opened_lab(page, lab, view):
    """Opens a view of a laboratory and gives its answer."""
    page.click("#open-labs")
    page.click(f"#open-{lab}")
    return switched(page, lab, view)


def switched(page, lab, view):
    page.select_option(f"#{lab}-view", view)
    return answered(page, lab, view)


def answered(page, lab, view):
    """The answer to what is set now."""
    until(page, f"view => import('/{lab}.js').then(m => m.{lab}.now()?.view === view)", view)
    return page.evaluate(f"import('/{lab}.js').then(m => m.{lab}.now())")


def preset(page, lab, view, name):
    page.click(f"#{lab}-presets button:text-is('{name}')")
    return answered(page, lab, view)


def put(page, lab, view, **numbers):
    """Types numbers, or chooses, and gives the answer to them."""
    for name, value in numbers.items():
        field = page.locator(f"#{lab}-form [name={lab}-{name}]")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(str(value))
        elif isinstance(value, bool):
            field.set_checked(value)
        else:
            field.fill(str(value))
    until(
        page,
        f"([view, numbers]) => import('/{lab}.js').then(m => {{ const now = m.{lab}.now(); return now?.view === view && Object.entries(numbers).every(([name, value]) => now.values[name] === value); }})",
        [view, numbers],
    )
    return answered(page, lab, view)


def words(page, lab):
    return page.inner_text(f"#{lab}-words").replace("−", "-")


def pixels(page, canvas, wanted, near=40):
    """How many pixels of a canvas are about of a colour."""
    return page.evaluate(
        """([id, wanted, near]) => {
            const canvas = document.getElementById(id);
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            let count = 0;
            for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 200 && [0, 1, 2].every(part => Math.abs(data[at + part] - wanted[part]) < near)) count++;
            return count;
        }""",
        [canvas, wanted, near],
    )
