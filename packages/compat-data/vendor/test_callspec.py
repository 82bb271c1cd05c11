# test_callspec.py: every strict case of one format is a test. With a list of known failures it is green; a new failure fails, and so
# does a listed case that passes, until its line is deleted.
import json
import os
import re
from pathlib import Path
import pytest
from my_parser import parse  # (text, tools) -> {"content": …, "calls": [{"name": …, "arguments": …}]}; ValueError refuses a text

DATA = Path(os.environ.get("CALLSPEC_DATA", "node_modules/@callspec/compat-data/data"))
FORMAT, LIST = os.environ.get("CALLSPEC_FORMAT", "nous"), os.environ.get("CALLSPEC_KNOWN")  # LIST: such as known/vllm@0.33.0/hermes+qwen3.nous.txt, below DATA or anywhere
KNOWN, reason = {}, ""  # id: the line above it that begins with #, which says why it fails or is not asked
for line in (DATA / LIST).read_text("utf-8").splitlines() if LIST else []:
    reason = line[1:].strip() if line.startswith("#") else reason
    if line.strip() and not re.match(r"#|\s+\$ ", line):
        KNOWN[line.strip()] = reason
# Left out: what a text and its tools do not say (a thought that the prompt has opened, markers that are no tokens).
ALONE = {"id", "op", "format", "profile", "about", "evidence", "provenance", "input", "expected", "error"}
CASES = [json.loads(line) for line in (DATA / "cases" / f"{FORMAT}.jsonl").read_text("utf-8").split("\n") if line]
CASES = [each for each in CASES if each["op"] == "parse" and each.keys() <= ALONE and each["input"].keys() <= {"text", "tools"}]

def value(arguments):  # by meaning: the order of keys does not count, 1 is not 1.0; what is no JSON is a text
    try:
        return json.dumps(json.loads(arguments) if isinstance(arguments, str) else arguments, sort_keys=True)
    except ValueError:
        return arguments

def reading(answer):
    """Pieces of prose, pieces of reasoning, and the calls; None for a refusal."""
    if answer is None or "error" in answer:
        return None
    flat = [{"type": kind, "text": answer.get(name) or ""} for kind, name in (("text", "content"), ("reasoning", "reasoning"))]
    items = answer.get("items", flat + [{**call, "type": "call"} for call in answer.get("calls") or []])
    thought = re.match(r"\s*<think>(.*?)</think>", items[0]["text"], re.S) if items and items[0]["type"] == "text" else None
    if thought:
        items = [{"type": "reasoning", "text": thought[1]}, {"type": "text", "text": items[0]["text"][thought.end() :]}, *items[1:]]
    texts = [[item["text"] for item in items if item["type"] == kind] for kind in ("text", "reasoning")]
    return [*texts, [(item["name"], value(item["arguments"])) for item in items if item["type"] == "call"]]

def same(got, right):
    """White space counts inside of a piece of prose, and not at its ends."""
    if got is None or right is None:
        return got is right
    wanted = [r"\s*".join(["", *(re.escape(text.strip()) for text in texts if text.strip()), ""]) for texts in right[:2]]
    return got[2] == right[2] and all(re.fullmatch(each, "".join(texts)) for each, texts in zip(wanted, got))

@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case, request):
    why = KNOWN.get(case["id"], "")
    if why.startswith("[not asked]"):
        pytest.skip(why)
    if why and not why.startswith("[unverified] id:"):  # ids are not compared here
        request.applymarker(pytest.mark.xfail(reason=why, strict=True))
    try:
        got = reading(parse(case["input"]["text"], case["input"].get("tools", [])))
    except ValueError:
        got = None
    expected = case.get("expected") or {"error": case.get("error")}
    assert any(same(got, reading(each)) for each in expected.get("any_of", [expected])), case.get("about")
