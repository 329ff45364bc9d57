"""Classes of the named results that functions give: tuples whose parts have names."""

import json
from collections import namedtuple

from didact import _didact


def _made(result):
    names = [field["name"] for field in result["fields"]]
    found = namedtuple(result["name"], names)
    lines = [result["document"], "", "Attributes", "----------"]
    for field in result["fields"]:
        lines += [f"{field['name']} : {field['annotation']}", f"    {field['meaning']}"]
    found.__doc__ = "\n".join(lines)
    found.__module__ = f"didact.{result['module']}"
    return found


_listed = json.loads(_didact.results())
globals().update({result["name"]: _made(result) for result in _listed})


def of_module(short):
    """The results that functions of one module give, by name."""
    return {r["name"]: globals()[r["name"]] for r in _listed if r["module"] == short}
