"""Writes src/shipped-xgrammar.ts: the structural tags that an installed xgrammar builds for each model it knows.

    python3 -m venv venv && venv/bin/pip install --no-deps xgrammar==0.2.6 apache-tvm-ffi==0.1.11 numpy pydantic ...
    venv/bin/python packages/grammar/scripts/shipped-xgrammar.py DATE

DATE is that of the files in its wheel. Torch is not needed: see torch_stub.py. Each tag is built for two
tools; what is repeated per tool is stored once, as {"each_tool": ...} with %NAME% and "%PARAMETERS%".
"""

import importlib.metadata
import json
import pathlib
import sys

import torch_stub  # noqa: F401
import xgrammar
from xgrammar import builtin_structural_tag

A, B = "callspec_tool_a", "callspec_tool_b"


def tool(name):
    parameters = {"type": "object", "properties": {name + "_p": {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "description": "", "parameters": parameters}}


def holds(value, name):
    return name in json.dumps(value)


def fold(value):
    """Keeps what belongs to tool A once, as each_tool, and drops what belongs to tool B."""
    if isinstance(value, list):
        folded = []
        for one in value:
            if holds(one, A) and not holds(one, B):
                folded.append({"each_tool": fill(one)})
            elif not holds(one, B) or holds(one, A):
                folded.append(fold(one))
        return folded
    if isinstance(value, dict):
        return {key: fold(one) for key, one in value.items()}
    return value


def fill(value):
    if isinstance(value, list):
        return [fill(one) for one in value]
    if isinstance(value, str):
        return value.replace(A, "%NAME%")
    if isinstance(value, dict):
        return {key: "%PARAMETERS%" if key == "json_schema" and holds(one, A + "_p") else fill(one) for key, one in value.items()}
    return value


CHOICES = {"auto": "auto", "required": "required", "named": {"type": "function", "function": {"name": A}}}


def main(date):
    lines = []
    for model in sorted(builtin_structural_tag._structural_tag_registry):
        for choice, given in CHOICES.items():
            for reasoning in (False, True):
                try:
                    tag = xgrammar.get_model_structural_tag(model, [tool(A), tool(B)], given, reasoning=reasoning)
                except Exception as error:
                    print(model, choice, reasoning, error, file=sys.stderr)
                    continue
                plain = json.loads(tag.model_dump_json())
                format = fill(plain["format"]) if choice == "named" else fold(plain["format"])
                text = json.dumps(format, ensure_ascii=False, separators=(",", ":"))
                lines.append(f"{model} {choice} {'thinking' if reasoning else 'plain'} {text}")
    target = pathlib.Path(__file__).parent.parent / "src" / "shipped-xgrammar.ts"
    rows = "".join(f"  {json.dumps(line, ensure_ascii=False)},\n" for line in lines)
    version = importlib.metadata.version("xgrammar")
    target.write_text(
        "// Made by scripts/shipped-xgrammar.py. Do not edit.\n\n"
        f"/** The structural tags that xgrammar {version} builds: model, choice, whether a thought is open, and the format as JSON. */\n"
        f"export const XGRAMMAR_TAGS: readonly string[] = [\n{rows}]\n\n"
        "/** The release that built them, and the date of the files in its wheel. */\n"
        f"export const XGRAMMAR_RELEASE = {{ version: '{version}', date: '{date}' }} as const\n"
    )
    print(len(lines), "tags")


main(*sys.argv[1:])
