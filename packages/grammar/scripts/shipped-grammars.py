"""Writes data/shipped/ENGINE.jsonl: the grammars that an installed engine forces on calls, for the tools of data/tools.json.

    PYTHONPATH=DIR python3 shipped-grammars.py vllm DATE        # DIR: pip install --target DIR of packages/conformance/adapters/vllm
    PYTHONPATH=DIR python3 shipped-grammars.py sglang DATE      # the same of packages/conformance/adapters/sglang
    PYTHONPATH=DIR python3 shipped-grammars.py llama.cpp DATE TEMPLATES   # xllamacpp; TEMPLATES: a folder of .jinja files

DATE is that of the engine's files in the registry. Torch is not needed: where it is absent, empty modules take its place. A structural tag
is kept once for any tools, with %NAME% and "%PARAMETERS%" in {"each_tool": ...}, if it can be made again from that; other grammars are
those of the tools in data/tools.json, which a line with "tools": "data/tools.json" says. Each line has its name, the format whose writer
and reader it belongs to (null where callspec has none), choice (auto, required, named: the first tool), and whether a thought is open
(null: both). llama-server answers "auto" with an error for templates whose format cannot be empty (gpt-oss, Command R7B, Muse): they have no line.
"""

import importlib.metadata
import json
import logging
import os
import pathlib
import sys
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ADAPTERS = HERE.parent.parent / "conformance" / "adapters"
sys.path[:0] = [str(ADAPTERS / "python-engines"), str(ADAPTERS / "llama.cpp")]

A, B = "callspec_tool_a", "callspec_tool_b"

FORMATS = {
    "vllm": {
        "deepseek_r1": "deepseek-r1", "deepseek_v3_1": "deepseek-v3.1", "deepseek_v3_2": "deepseek-v3.2", "deepseek_v4": "deepseek-v4",
        "deepseek_v4_1": "deepseek-v4.1", "glm_4_7": "glm-4.7", "harmony": "harmony", "hermes": "nous", "kimi": "kimi-k2", "kimi_k3": "kimi-k3",
        "llama": "llama3-json", "minimax": "minimax-m2", "qwen_3": "nous", "qwen_3_5": "qwen3.5", "qwen_3_coder": "qwen3-coder",
    },
    "sglang": {
        "cohere_command4": "command-r7b", "deepseekv3": "deepseek-r1", "deepseekv31": "deepseek-v3.1", "deepseekv32": "deepseek-v3.2",
        "deepseekv4": "deepseek-v4", "deepseekv41": "deepseek-v4.1", "gemma4": "gemma-4", "glm": "glm-4.5", "glm45": "glm-4.5",
        "glm47": "glm-4.7", "gpt-oss": "harmony", "hermes": "nous", "kimi_k2": "kimi-k2", "kimi_k3": "kimi-k3", "lfm2": "lfm2",
        "llama3": "llama3-json", "minimax-m2": "minimax-m2", "mistral": "mistral-v11", "pythonic": "pythonic", "qwen": "nous",
        "qwen25": "nous", "qwen3_coder": "qwen3-coder", "apertus2509": "apertus", "gigachat3": "gigachat3", "minicpm5": "minicpm5",
        "muse_glimmer": "muse-glimmer",
    },
    "llama.cpp": {
        "ByteDance-Seed-OSS": "seed-oss", "CohereForAI-c4ai-command-r7b-12-2024-tool_use": "command-r7b", "GLM-4.6": "glm-4.5",
        "GLM-4.7-Flash": "glm-4.7", "Kimi-K2-Instruct": "kimi-k2", "Kimi-K2-Thinking": "kimi-k2-thinking", "Kimi-K3": "kimi-k3",
        "LFM2-8B-A1B": "lfm2", "LFM2.5-Instruct": "lfm2.5", "MiniMax-M2": "minimax-m2", "Mistral-Small-3.2-24B-Instruct-2506": "mistral-v11",
        "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": "qwen3.5", "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use": "nous", "Qwen-Qwen3-0.6B": "nous",
        "Qwen3-Coder": "qwen3-coder", "Qwen3.5-4B": "qwen3.5", "deepseek-ai-DeepSeek-V3.1": "deepseek-v3.1",
        "deepseek-ai-DeepSeek-V3.2": "deepseek-v3.2", "deepseek-ai-DeepSeek-V4": "deepseek-v4", "google-gemma-4-31B-it": "gemma-4",
        "llama-cpp-deepseek-r1": "deepseek-r1", "meta-llama-Llama-3.1-8B-Instruct": "llama3-json", "moonshotai-Kimi-K2": "kimi-k2",
        "openai-gpt-oss-120b": "harmony", "unsloth-mistral-Devstral-Small-2507": "mistral-v13", "ibm-granite-granite-3.3-2B-Instruct": "granite-3",
        "Qwen-Qwen2.5-7B-Instruct": "nous", "meta-llama-Llama-3.3-70B-Instruct": "llama3-json", "mistralai-Mistral-Nemo-Instruct-2407": "mistral-v3",
        "Apertus-8B-Instruct": "apertus", "GigaChat3-10B-A1.8B": "gigachat3", "muse-glimmer": "muse-glimmer",
        "openbmb-MiniCPM5-1B": "minicpm5", "tencent-Hy3": "hy-v3",
    },
}


def function_tool(name, parameters, **more):
    return {"type": "function", "function": {"name": name, "description": "", "parameters": parameters, **more}}


def probe_tools():
    return [function_tool(name, {"type": "object", "properties": {name + "_p": {"type": "string"}}}) for name in (A, B)]


def own_tools():
    return [function_tool(tool["name"], tool["parameters"]) for tool in json.loads((HERE.parent / "data" / "tools.json").read_text())]


def holds(value, name):
    return name in json.dumps(value)


def fill_marks(value):
    """Writes the marks in the place of what belongs to tool A."""
    if isinstance(value, list):
        return [fill_marks(one) for one in value]
    if isinstance(value, str):
        return value.replace(A, "%NAME%")
    if isinstance(value, dict):
        return {key: "%PARAMETERS%" if key == "json_schema" and holds(one, A + "_p") else fill_marks(one) for key, one in value.items()}
    return value


def fold(value):
    """Keeps what belongs to tool A once, as each_tool, and drops what belongs to tool B."""
    if isinstance(value, dict):
        return {key: fold(one) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    folded, group = [], []
    for one in value:
        if holds(one, A) and not holds(one, B):
            group.append(fill_marks(one))
            continue
        if group:
            folded.append({"each_tool": group})
            group = []
        if not holds(one, B) or holds(one, A):
            folded.append(fold(one))
    return [*folded, {"each_tool": group}] if group else folded


def unfold(value, tools):
    if isinstance(value, list):
        return [
            made
            for one in value
            for made in (
                [fill_tool(each, tool) for tool in tools for each in one["each_tool"]]
                if isinstance(one, dict) and "each_tool" in one
                else [unfold(one, tools)]
            )
        ]
    return {key: unfold(one, tools) for key, one in value.items()} if isinstance(value, dict) else value


def fill_tool(value, tool):
    function = tool["function"]
    if value == "%PARAMETERS%":
        return function["parameters"]
    if isinstance(value, str):
        return value.replace("%NAME%", function["name"])
    if isinstance(value, list):
        return [fill_tool(one, tool) for one in value]
    return {key: fill_tool(one, tool) for key, one in value.items()} if isinstance(value, dict) else value


def compact(value):
    """Without members that have their default."""
    if isinstance(value, list):
        return [compact(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "json_schema" in value:
        return {**{key: one for key, one in value.items() if one not in (None, False, [])}, "json_schema": value["json_schema"]}
    return {key: compact(one) for key, one in value.items() if one is not None and (key != "excludes" or one)}


CHOICES = ("auto", "required", "named")


def tag_rows(name, format, build):
    """The rows of one builder; `build(tools, choice, first tool's name, thinking)` gives a tag as a value, or None."""
    rows = []
    for choice in CHOICES:
        for thinking in (False, True):
            about = {"name": name, "format": format, "choice": choice, "thinking": thinking, "kind": "structural_tag"}
            try:
                built = build(own_tools(), choice, own_tools()[0]["function"]["name"], thinking)
                if built is None:
                    continue
                probe = compact(build(probe_tools(), choice, A, thinking))
            except Exception as error:
                print(name, choice, thinking, type(error).__name__, str(error)[:120], file=sys.stderr)
                continue
            tag = compact(built)
            folded = fill_marks(probe) if choice == "named" else fold(probe)
            again = fill_tool(folded, own_tools()[0]) if choice == "named" else unfold(folded, own_tools())
            own = {"grammar": folded} if again == tag else {"tools": "data/tools.json", "grammar": tag}
            rows.append({**about, **own})
    return rows


def plain(tag):
    return json.loads(tag.model_dump_json()) if hasattr(tag, "model_dump_json") else json.loads(json.dumps(tag))


def vllm_rows():
    import import_stubs

    import_stubs.install(["torch", "triton"], ["vllm.config", "vllm.distributed", "vllm.env_override", "vllm.model_executor", "vllm.multimodal",
        "vllm.platforms", "vllm.v1.attention", "vllm.v1.core", "vllm.v1.engine", "vllm.v1.executor", "vllm.v1.worker"])
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionNamedToolChoiceParam, ChatCompletionToolsParam
    from vllm.tool_parsers import structural_tag_registry as registry
    from vllm.tool_parsers.tool_strict_level import ToolStrictLevel

    def build(model):
        def built(tools, choice, first, thinking):
            given = [ChatCompletionToolsParam(**tool) for tool in tools]
            named = ChatCompletionNamedToolChoiceParam(function={"name": first}) if choice == "named" else choice
            return plain(registry.get_model_structural_tag(model, given, named, thinking, strict_level=ToolStrictLevel.PARAMETER))["format"]

        return built

    known = registry.SUPPORTED_STRUCTURAL_TAG_MODELS | set(registry._VLLM_STRUCTURAL_TAG_REGISTRY)
    return [row for model in sorted(known) for row in tag_rows(model, FORMATS["vllm"].get(model), build(model))]


def sglang_rows():
    import import_stubs

    import_stubs.install(["torch", "triton", "IPython"], ["sglang.kernels", "sglang.lang", "sglang.srt.arg_groups", "sglang.srt.configs",
        "sglang.srt.managers", "sglang.srt.model_executor", "sglang.srt.observability", "sglang.srt.runtime_context", "sglang.srt.server_args"])
    from sglang.srt.entrypoints.openai.protocol import Tool, ToolChoice, ToolChoiceFuncName
    from sglang.srt.function_call.function_call_parser import FunctionCallParser

    def build(parser):
        def built(tools, choice, first, thinking):
            strict = [Tool(**{**tool, "function": {**tool["function"], "strict": True}}) for tool in tools]
            named = ToolChoice(type="function", function=ToolChoiceFuncName(name=first)) if choice == "named" else choice
            made = FunctionCallParser(strict, parser).get_structure_constraint(named, True, thinking)
            if made is None:
                return None
            # A list in JSON, which SGLang reads itself: no detector and no format is involved.
            if made[0] == "json_schema":
                return None
            if made[0] != "structural_tag":
                raise ValueError(f"a constraint of the kind {made[0]}")
            tag = plain(made[1])
            # The legacy tag: structures and triggers.
            if "structures" in tag:
                tags = [{"type": "tag", "begin": one["begin"], "content": {"type": "json_schema", "json_schema": one.get("schema") or {}}, "end": one["end"]}
                    for one in tag["structures"]]
                return {"type": "triggered_tags", "triggers": tag["triggers"], "tags": tags, **({"at_least_one": True} if tag.get("at_least_one") else {})}
            return tag["format"]

        return built

    parsers = sorted(FunctionCallParser.ToolCallParserEnum)
    return [row for parser in parsers for row in tag_rows(parser, FORMATS["sglang"].get(parser), build(parser))]


def llama_rows(folder):
    import said_model
    import said_server

    rows = []
    for path in sorted(pathlib.Path(folder).glob("*.jinja")):
        # A grammar is kilobytes, and nothing can be compared with it without a format.
        if path.stem not in FORMATS["llama.cpp"]:
            continue
        template = path.read_text(encoding="utf-8")
        server = said_server.open_server(said_model.model_bytes([], 8000, template=template, end="<|im_end|>"), 8064)
        for choice in ("auto", "required"):
            for thinking in (False, True):
                about = {"name": path.stem, "format": FORMATS["llama.cpp"].get(path.stem), "choice": choice, "thinking": thinking, "kind": "gbnf"}
                request = {"messages": [{"role": "user", "content": "Hello."}], "tools": own_tools(), "tool_choice": choice, "max_tokens": 1,
                    "verbose": True, "parallel_tool_calls": True, "temperature": 0, "chat_template_kwargs": {"enable_thinking": thinking, "thinking": thinking}}
                try:
                    answer = said_server.post(server, "/v1/chat/completions", request)
                    settings = answer["__verbose"]["generation_settings"]
                except (KeyError, OSError) as error:
                    told = error.read().decode()[:160] if isinstance(error, urllib.error.HTTPError) else str(error)
                    print(path.stem, choice, thinking, told, file=sys.stderr)
                    continue
                if not settings["grammar"]:
                    continue
                lazy = {"lazy": True, "triggers": [trigger(one) for one in settings["grammar_triggers"]]} if settings["grammar_lazy"] else {}
                rows.append({**about, "tools": "data/tools.json", **lazy, "before": "" if lazy else settings.get("generation_prompt", ""),
                    "grammar": settings["grammar"]})
    return rows


def joined(rows):
    """One row where an open thought makes no difference: its "thinking" is null."""
    kept = []
    for row in rows:
        last = kept[-1] if kept else {}
        if {**last, "thinking": None} == {**row, "thinking": None}:
            kept[-1] = {**row, "thinking": None}
        else:
            kept.append(row)
    return kept


def trigger(one):
    return {"type": one["type"], "value": one["value"]}


def main(engine, date, *rest):
    logging.disable(logging.CRITICAL)
    package = {"llama.cpp": "xllamacpp"}.get(engine, engine)
    rows = joined({"vllm": vllm_rows, "sglang": sglang_rows, "llama.cpp": llama_rows}[engine](*rest))
    head = {"engine": engine, "version": importlib.metadata.version(package), "date": date}
    if engine != "llama.cpp":
        head["xgrammar"] = importlib.metadata.version("xgrammar")
    target = HERE.parent / "data" / "shipped" / f"{engine}.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in [head, *rows]), encoding="utf-8")
    print(engine, len(rows), "grammars,", target.stat().st_size, "bytes")
    sys.stdout.flush()
    os._exit(0)


main(*sys.argv[1:])
